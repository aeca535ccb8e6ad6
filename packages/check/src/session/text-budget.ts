/** About the memory of a value besides its text, and of an object or a list: `{},` is three characters and an object. */
const valueCost = 24
const containerCost = 56
const comma = 0x2c
const bracket = 0x5b
const brace = 0x7b

/** About how much memory a text takes when it is parsed as JSON. */
function costOf(text: string): number {
  let cost = text.length + valueCost
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === comma) cost += valueCost
    else if (code === bracket || code === brace) cost += containerCost
  }
  return cost
}

const maxCost = 64 * 1024 * 1024

/** Limits the text of a server that all checks hold at once, because a hostile server would fill the memory. */
export class TextBudget {
  #left = maxCost

  /** Returns the cost of the text; undefined if the budget does not allow it. */
  take(text: string): number | undefined {
    const cost = costOf(text)
    if (cost > this.#left) return undefined
    this.#left -= cost
    return cost
  }

  release(cost: number): void {
    this.#left += cost
  }
}
