import { plainText } from 'toolwire/relay'
import type { Evidence } from '../check-report.js'
import type { Received } from '../connection/connection.js'
import { TextBudget } from './text-budget.js'

const longest = 500
const longestHeader = 80
const most = 4

export type SentMessage = {
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  readonly body: string | Uint8Array | undefined
}

/** The messages that one check sent, with the replies, shortened for the report. */
export class Transcript {
  readonly #entries: Evidence[] = []
  readonly #budget: TextBudget
  #held = 0
  #kept = 0

  constructor(budget = new TextBudget()) {
    this.#budget = budget
  }

  /** Counts a text that the check now holds; false if all checks together would hold too much. */
  hold(text: string): boolean {
    const cost = this.#budget.take(text)
    this.#held += cost ?? 0
    return cost !== undefined
  }

  /** Texts that arrive during this work are held until the end of all checks. */
  async keeping<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#held
    const result = await work()
    this.#kept += this.#held - before
    return result
  }

  /** The check has ended, and holds only what is kept. */
  release(): void {
    this.#budget.release(this.#held - this.#kept)
    this.#held = this.#kept
  }

  note(sent: SentMessage, heard: Received): void {
    const status = heard.status === undefined ? '' : `HTTP ${heard.status} `
    const came = heard.text === '' ? ends[heard.end] : heard.text
    this.#entries.push({ sent: excerptOf(wordsOf(sent)), came: excerptOf(`${status}${came}`) })
  }

  /** The last few messages. */
  get entries(): readonly Evidence[] {
    return this.#entries.slice(-most)
  }
}

const ends = {
  found: '(nothing)',
  over: '(an empty reply)',
  'too late': '(nothing in the time given)',
  closed: '(the connection was closed)',
}

/** Shows only headers that a check chose: the operator's headers and the session id may be secret. */
function wordsOf({ method, headers = {}, body }: SentMessage): string {
  const lines = Object.entries(headers).map(
    ([name, value]) => `${name}: ${value === undefined ? '(none)' : value.slice(0, longestHeader)}`,
  )
  const text = typeof body === 'string' || body === undefined ? body : Buffer.from(body.subarray(0, longest)).toString('latin1')
  return [method, lines.length > 0 && `{${lines.join('; ')}}`, text].filter(Boolean).join(' ')
}

/** Text on one line, shortened, with hidden characters written out. */
export function excerptOf(text: string): string {
  // A slice refers to the whole text, which a report would then keep in memory.
  const own = Buffer.from(text.slice(0, longest), 'utf16le').toString('utf16le')
  const line = plainText.visibleLine(own)
  return text.length > longest ? `${line}… (${text.length} characters)` : line
}
