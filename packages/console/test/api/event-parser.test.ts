import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventParser, type ServerEvent } from '../../src/api/event-parser.js'

function eventsIn(...pieces: readonly string[]): ServerEvent[] {
  const events: ServerEvent[] = []
  const feed = eventParser((event) => events.push(event))
  for (const piece of pieces) feed(piece)
  return events
}

describe('server-sent events', () => {
  it('have an id, a kind and data', () => {
    expect(eventsIn('id: 7\nevent: call\ndata: {"a":1}\n\n')).toEqual([{ id: '7', kind: 'call', data: '{"a":1}' }])
  })

  it('are messages where no kind is said', () => {
    expect(eventsIn('data: x\n\n')).toEqual([{ id: undefined, kind: 'message', data: 'x' }])
  })

  it('keep the id of the one before where they have none, and forget its kind', () => {
    expect(eventsIn('id: 1\nevent: call\ndata: a\n\ndata: b\n\n').at(-1)).toEqual({ id: '1', kind: 'message', data: 'b' })
  })

  it('join lines of data, and lose one space after the colon and no more', () => {
    expect(eventsIn('data: one\ndata:two\ndata:  three\ndata\n\n')[0]?.data).toBe('one\ntwo\n three\n')
  })

  it('are not made of comments, signs of life and events without data', () => {
    expect(eventsIn(': \n\n', 'event: call\n\n', ':data: x\n\n')).toEqual([])
  })

  it('take no id that holds a null character', () => {
    expect(eventsIn('id: a\0b\ndata: x\n\n')[0]?.id).toBeUndefined()
  })

  it('are told only when they are whole', () => {
    expect(eventsIn('data: x\n')).toEqual([])
  })

  it('come out the same wherever they are cut, and whatever ends their lines', () => {
    const whole = 'id: 1\nevent: call\ndata: ä😀\n\n: sign of life\n\ndata: b\ndata: c\n\nid: 2\ndata\n\n'
    const ends = fc.constantFrom('\n', '\r\n', '\r')
    const cuts = fc.array(fc.nat(whole.length * 2), { maxLength: 20 })
    const wanted = eventsIn(whole)
    expect(wanted).toHaveLength(3)
    fc.assert(
      fc.property(ends, cuts, (end, places) => {
        // A carriage return at the very end may still become the first half of a line's end.
        const text = `${whole.replaceAll('\n', end)}:`
        const sorted = [0, ...places.sort((one, other) => one - other), text.length]
        const pieces = sorted.slice(1).map((to, at) => text.slice(sorted[at], to))
        expect(eventsIn(...pieces)).toEqual(wanted)
      }),
    )
  })
})
