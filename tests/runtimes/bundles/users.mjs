/** What the same application of each framework has of its own: a provider. */
export class Users {
  #all = new Map([[7, { id: 7, name: 'Ada' }]])

  find(id) {
    return this.#all.get(id)
  }
}
