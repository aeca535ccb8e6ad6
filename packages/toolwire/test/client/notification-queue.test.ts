import { describe, expect, it } from 'vitest'
import { NotificationQueue } from '../../src/client/connection/notification-queue.js'

function queue() {
  const [delivered, warnings]: [string[], string[]] = [[], []]
  const open: (() => void)[] = []
  const notices = new NotificationQueue((text) => warnings.push(text))
  const tell = (name: string, params = {}) => notices.take(() => void delivered.push(name), params)
  const slow = (name: string) =>
    notices.take(() => new Promise<void>((resolve) => open.push(resolve)).then(() => void delivered.push(name)), {})
  const settle = async () => {
    open.shift()?.()
    await new Promise((resolve) => setTimeout(resolve))
  }
  return { notices, delivered, warnings, tell, slow, settle }
}

describe('queued notifications', () => {
  it('are delivered at once, unless an earlier one is still being processed', async () => {
    const { delivered, tell, slow, settle } = queue()
    tell('a')
    expect(delivered).toEqual(['a'])
    slow('b')
    tell('c')
    slow('d')
    tell('e')
    expect(delivered).toEqual(['a'])
    await settle()
    expect(delivered).toEqual(['a', 'b', 'c'])
    await settle()
    expect(delivered).toEqual(['a', 'b', 'c', 'd', 'e'])
    tell('f')
    expect(delivered.at(-1)).toBe('f')
  })

  it.each<[string, number, object]>([
    ['a thousand of them', 1_024, {}],
    ['as many characters as a message may have', 4, { data: ['x'.repeat(1_000_000), { y: 1 }] }],
    ['as many characters in names', 4, { ['x'.repeat(1_000_000)]: 1 }],
  ])('are queued up to %s; further ones are dropped with a warning', async (_, most, params) => {
    const { delivered, warnings, tell, slow, settle } = queue()
    slow('first')
    for (let n = 0; n < most + 5; n++) tell(String(n), params)
    expect(warnings).toHaveLength(5)
    await settle()
    expect(delivered).toHaveLength(most + 1)
    tell('again')
    expect(delivered.at(-1)).toBe('again')
  })

  it('continue after one that fails', async () => {
    const { notices, delivered, warnings, tell, settle } = queue()
    notices.take(() => Promise.reject(new Error('broken')), {})
    tell('next')
    await settle()
    tell('last')
    expect(warnings).toEqual(['A notification could not be read: broken'])
    expect(delivered).toEqual(['next', 'last'])
  })
})
