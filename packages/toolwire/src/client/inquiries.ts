import { Inquiry } from './inquiry.js'

const places = 1_024

/**
 * The requests that wait for their answers, by id. Ids are numbers that only grow, so most are found by their low bits; a Map for
 * all would be rebuilt again and again while they come and go.
 */
export class Inquiries {
  readonly #near: (Inquiry | undefined)[] = new Array(places).fill(undefined)
  readonly #far = new Map<number, Inquiry>()
  #lastId = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  /** An id for a request that is still to be written. */
  nextId(): number {
    return ++this.#lastId
  }

  begin(id: number, method: string, repeatable: boolean): Inquiry {
    const inquiry = new Inquiry(id, method, repeatable)
    const place = inquiry.id % places
    if (this.#near[place] === undefined) this.#near[place] = inquiry
    else this.#far.set(inquiry.id, inquiry)
    this.#size++
    return inquiry
  }

  /** The one that has this id, in value and in type. */
  find(id: unknown): Inquiry | undefined {
    if (typeof id !== 'number') return undefined
    const near = this.#near[id % places]
    return near?.id === id ? near : this.#far.get(id)
  }

  /** Takes it out; false when it is over already, so that nothing ends twice. */
  end(inquiry: Inquiry): boolean {
    if (this.find(inquiry.id) !== inquiry) return false
    const place = inquiry.id % places
    if (this.#near[place] === inquiry) this.#near[place] = undefined
    else this.#far.delete(inquiry.id)
    this.#size--
    inquiry.end()
    return true
  }

  all(): Inquiry[] {
    return [...this.#near.filter((inquiry) => inquiry !== undefined), ...this.#far.values()]
  }
}
