export class Books {
  readonly #books = [
    { id: 1, title: 'Kindred', author: 'Octavia E. Butler', year: 1979, price: 12 },
    { id: 2, title: 'The Dispossessed', author: 'Ursula K. Le Guin', year: 1974, price: 9 },
  ]

  find(id: number) {
    return this.#books.find((book) => book.id === id)
  }

  // #region authors
  authors() {
    return [...new Set(this.#books.map(({ author }) => author))]
  }
  // #endregion
}
