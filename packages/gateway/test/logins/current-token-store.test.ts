import { memoryTokens } from 'toolwire/client/oauth'
import { describe, expect, it } from 'vitest'
import { currentTokenStore } from '../../src/upstreams/logins/current-token-store.js'

const onSet = () => undefined

describe('tokens that were renewed', () => {
  it('are kept for as long as the process lives where the disk does not take them', async () => {
    const disk = { ...memoryTokens(), set: () => Promise.reject(new Error('The disk is full')) }
    const store = currentTokenStore(disk, { isCurrent: () => true, onSet })
    await store.set('tokens', 'new')
    expect(await store.get('tokens')).toBe('new')
  })

  it('go no further where the login is another one by now', async () => {
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
