/** Reads server-sent events as they arrive, and hands on the data of each that has any. */
export class EventReader {
  #rest = ''
  #data: string[] = []
  readonly #onData: (data: string) => void

  constructor(onData: (data: string) => void) {
    this.#onData = onData
  }

  push(text: string): void {
    const lines = `${this.#rest}${text}`.split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#line(line)
  }

  #line(line: string): void {
    if (line.startsWith('data:')) this.#data.push(line.slice(5).replace(/^ /, ''))
    if (line !== '' || this.#data.length === 0) return
    const data = this.#data.join('\n')
    this.#data = []
    if (data !== '') this.#onData(data)
  }
}
