import type { Sink } from '../http-exchange.js'

const utf8 = new TextEncoder()

/** A body over the web's ReadableStream. */
export class FetchSink implements Sink {
  readonly body: ReadableStream<Uint8Array>
  #controller!: ReadableStreamDefaultController<Uint8Array>
  readonly #listeners: (() => void)[] = []
  open = true

  constructor() {
    const source = {
      start: (controller: ReadableStreamDefaultController<Uint8Array>) => {
        this.#controller = controller
      },
      cancel: () => this.#close(),
    }
    this.body = new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: 0 }))
  }

  get queued(): number {
    return -(this.#controller.desiredSize ?? 0)
  }

  write(text: string): void {
    if (this.open) this.#controller.enqueue(utf8.encode(text))
  }

  end(): void {
    if (this.open) this.#controller.close()
    this.#close()
  }

  destroy(): void {
    if (this.open) this.#controller.error(new Error('The client does not read its stream'))
    this.#close()
  }

  onClose(listener: () => void): void {
    if (this.open) this.#listeners.push(listener)
    else listener()
  }

  #close(): void {
    this.open = false
    for (const listener of this.#listeners.splice(0)) listener()
  }
}
