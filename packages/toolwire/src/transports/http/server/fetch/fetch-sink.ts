import type { Sink } from '../http-exchange.js'

const utf8 = new TextEncoder()

/** A body over the web's ReadableStream. */
export function fetchSink(): Sink & { readonly body: ReadableStream<Uint8Array> } {
  const listeners: (() => void)[] = []
  let controller!: ReadableStreamDefaultController<Uint8Array>
  let open = true
  const close = (how?: () => void): void => {
    if (open) how?.()
    open = false
    for (const listener of listeners.splice(0)) listener()
  }
  const start = (given: typeof controller) => {
    controller = given
  }
  return {
    body: new ReadableStream({ start, cancel: () => close() }, new ByteLengthQueuingStrategy({ highWaterMark: 0 })),
    get open() {
      return open
    },
    get queued() {
      return -(controller.desiredSize ?? 0)
    },
    write(text) {
      if (open) controller.enqueue(utf8.encode(text))
    },
    end: () => close(() => controller.close()),
    destroy: () => close(() => controller.error(new Error('The client does not read its stream'))),
    onClose(listener) {
      if (open) listeners.push(listener)
      else listener()
    },
  }
}
