// Delivers notifications in order of arrival, although cleaning the long texts of some takes several turns of the event loop.
import type { Json, JsonObject } from '../../json.js'

const mostWaiting = 1_024
/** As many characters as one message may have by default. */
const mostCharacters = 4 * 1024 * 1024

/** Rough size of a value that is not text, in characters. */
const ofValue = 8

const lost = 'The server sends notifications faster than they can be read; some were dropped'

export class NotificationQueue {
  readonly #warn: (text: string) => void
  readonly #waiting: { readonly deliver: () => void | Promise<void>; readonly characters: number }[] = []
  #characters = 0
  #isBusy = false

  constructor(warn: (text: string) => void) {
    this.#warn = warn
  }

  /** Delivers at once if nothing is queued. A notification that finds no room is dropped, with a warning. */
  take(deliver: () => void | Promise<void>, params: JsonObject | undefined): void {
    if (!this.#isBusy) {
      const delivered = deliver()
      if (delivered) void this.#drain(delivered)
      return
    }
    const characters = charactersIn(params)
    const hasRoom = this.#waiting.length < mostWaiting && this.#characters + characters <= mostCharacters
    if (!hasRoom) return void this.#warn(lost)
    this.#characters += characters
    this.#waiting.push({ deliver, characters })
  }

  async #drain(first: Promise<void>): Promise<void> {
    this.#isBusy = true
    await this.#attempt(first)
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      this.#characters -= next.characters
      await this.#attempt(next.deliver())
    }
    this.#isBusy = false
  }

  async #attempt(delivered: void | Promise<void>): Promise<void> {
    try {
      await delivered
    } catch (thrown) {
      this.#warn(`A notification could not be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    }
  }
}

function charactersIn(value: Json | undefined): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return ofValue
  const names = Array.isArray(value) ? [] : Object.keys(value)
  return [...names, ...Object.values(value)].reduce<number>((sum, one) => sum + charactersIn(one), ofValue)
}
