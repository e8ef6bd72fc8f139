export class Orders {
  readonly #totals = new Map([[1, 120]])

  find(id: number): { id: number; total: number } | undefined {
    const total = this.#totals.get(id)
    return total === undefined ? undefined : { id, total }
  }
}
