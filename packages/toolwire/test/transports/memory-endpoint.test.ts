import { describe, expect, it } from 'vitest'
import { memoryEndpoint } from '../../src/transports/memory/memory-endpoint.js'
import { Notes } from './child-fixture.js'
import { call, fixture, initialize, initialized, until } from './fixture.js'

const outgoing = (message: { method: string }) => ({ text: JSON.stringify(message), method: message.method, revision: undefined })

async function opened(app = fixture().app) {
  const notes = new Notes()
  const link = await memoryEndpoint(app, 'ours').dial(notes)
  link.send(outgoing(initialize('2025-11-25', {}, 1)))
  await notes.result(1)
  link.send(outgoing(initialized))
  return { link, notes }
}

describe('a server in the same process', () => {
  it('receives a request, and responds after it was sent', async () => {
    const { link, notes } = await opened()
    link.send(outgoing(call(2, 'echo', { text: 'hi' })))
    expect(notes.messages).toHaveLength(1)
    expect((await notes.result(2)).content).toMatchObject([{ text: 'hi' }])
  })

  it('notices that its client has closed, which receives nothing more', async () => {
    const { app, seen } = fixture()
    const { link, notes } = await opened(app)
    link.send(outgoing(call(2, 'slow', { ms: 50 })))
    await until(() => seen.begun === 1)
    await link.close()
    await until(() => seen.finished === 1)
    expect(seen.cancelled).toBe(1)
    expect(notes.messages).toHaveLength(1)
    expect(notes.endings).toEqual([])
  })

  it('has one key whatever its name, and no other server has it', () => {
    const { app } = fixture()
    expect(memoryEndpoint(app, 'a').key).toBe(memoryEndpoint(app, 'b').key)
    expect(memoryEndpoint(app, 'a').key).not.toBe(memoryEndpoint(fixture().app, 'a').key)
  })
})
