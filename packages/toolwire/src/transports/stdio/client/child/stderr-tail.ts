import type { Readable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { visible } from '../../../../text/visible.js'

const kept = 8 * 1024
const longestShown = 2_000

/** Drains a child's stderr, so that the child never blocks on it, and keeps the end. Output on stderr is no error by itself. */
export class StderrTail {
  #text = ''

  constructor(stderr: Readable, hear: (text: string) => void) {
    stderr.setEncoding('utf8')
    stderr.on('data', (text: string) => {
      this.#text = (this.#text + text).slice(-kept)
      hear(text)
    })
    // What could not be read is missing from the tail, and nobody waits for it.
    stderr.on('error', () => stderr.destroy())
  }

  /** The end of it, for an error message: without colours, which would be shown as what they are made of, and without half a word. */
  toString(): string {
    const text = visible(stripVTControlCharacters(this.#text).trim())
    if (text.length <= longestShown) return text
    const end = text.slice(-longestShown)
    return end.slice(end.search(/\s/) + 1)
  }
}
