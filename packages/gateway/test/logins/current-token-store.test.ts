import { memoryTokens } from 'toolwire/client/oauth'
import { describe, expect, it } from 'vitest'
import { currentTokenStore } from '../../src/upstreams/logins/current-token-store.js'

const onSet = () => undefined

describe('renewed tokens', () => {
  it('stay in memory for the life of the process if the disk rejects them', async () => {
    const disk = { ...memoryTokens(), set: () => Promise.reject(new Error('The disk is full')) }
    const store = currentTokenStore(disk, { isCurrent: () => true, onSet })
    await store.set('tokens', 'new')
    expect(await store.get('tokens')).toBe('new')
  })

  it('are read from the store again once it has accepted them, because another replica may renew them next', async () => {
    const disk = memoryTokens()
    const isFull = [true, false]
    const set: typeof disk.set = (key, value) => {
      if (isFull.shift()) throw new Error('The disk is full')
      return disk.set(key, value)
    }
    const store = currentTokenStore({ ...disk, set }, { isCurrent: () => true, onSet })
    await store.set('tokens', 'first')
    await store.set('tokens', 'second')
    await disk.set('tokens', 'of the other replica')
    expect(await store.get('tokens')).toBe('of the other replica')
  })

  it('are dropped if the login was replaced meanwhile', async () => {
    const disk = memoryTokens()
    await disk.set('tokens', "bob's")
    let isCurrent = true
    const store = currentTokenStore(disk, { isCurrent: () => isCurrent, onSet })
    isCurrent = false
    await store.set('tokens', "ana's")
    await store.delete('tokens')
    expect(await disk.get('tokens')).toBe("bob's")
  })
})
