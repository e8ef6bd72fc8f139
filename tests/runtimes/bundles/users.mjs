/** The provider that the application uses, whichever framework it is written for. */
export class Users {
  #all = new Map([[7, { id: 7, name: 'Ada' }]])

  find(id) {
    return this.#all.get(id)
  }
}
