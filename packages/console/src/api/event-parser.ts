/** One server-sent event. */
export type ServerEvent = { readonly id: string | undefined; readonly kind: string; readonly data: string }

/** Reads server-sent events from text that comes in pieces cut anywhere. https://html.spec.whatwg.org/multipage/server-sent-events.html */
export function eventParser(onEvent: (event: ServerEvent) => void): (piece: string) => void {
  let rest = ''
  let id: string | undefined
  let kind = ''
  let data: string[] = []

  function end(): void {
    if (data.length > 0) onEvent({ id, kind: kind || 'message', data: data.join('\n') })
    kind = ''
    data = []
  }

  function line(text: string): void {
    if (text === '') end()
    const colon = text.indexOf(':')
    const name = colon < 0 ? text : text.slice(0, colon)
    const value = colon < 0 ? '' : text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') data.push(value)
    else if (name === 'event') kind = value
    else if (name === 'id' && !value.includes('\0')) id = value
  }

  return (piece) => {
    const text = rest + piece
    // A line feed may still follow: what ends in a carriage return waits for it.
    const whole = text.endsWith('\r') ? text.length - 1 : text.length
    const lines = text.slice(0, whole).split(/\r\n|\n|\r/)
    rest = (lines.pop() ?? '') + text.slice(whole)
    for (const one of lines) line(one)
  }
}
