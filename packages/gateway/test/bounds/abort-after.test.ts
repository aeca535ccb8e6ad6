import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { rid } from '../../../toolwire/test/garbage.js'
import { abortAfter } from '../../src/bounds/abort-after.js'

describe('a signal with a timeout', () => {
  it('aborts even if garbage was collected', async () => {
    const over = abortReason(abortAfter(new AbortController().signal, 200))
    await rid()
    expect(await over).toMatchObject({ name: 'TimeoutError' })
  })

  it('aborts a fetch even if garbage was collected', async () => {
    await using silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo // it listens on TCP
    const asking = fetch(`http://127.0.0.1:${port}`, { signal: abortAfter(new AbortController().signal, 300) }).catch(String)
    await rid()
    const outcome = await asking
    silent.closeAllConnections()
    expect(outcome).toMatch(/^TimeoutError/)
  })

  it('aborts with the given signal', async () => {
    const left = new AbortController()
    const over = abortReason(abortAfter(left.signal, 60_000))
    await rid()
    left.abort('left')
    expect(await over).toBe('left')
    expect(abortAfter(left.signal, 60_000).aborted).toBe(true)
  })
})

it('no source uses AbortSignal.any, whose signals Node may collect too early', () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const sources = ['gateway', 'toolwire'].flatMap((name) =>
    readdirSync(join(root, name, 'src'), { recursive: true, encoding: 'utf8' }).map((file) => join(root, name, 'src', file)),
  )
  const code = sources.filter((file) => file.endsWith('.ts'))
  expect(code.length).toBeGreaterThan(500)
  expect(code.filter((file) => readFileSync(file, 'utf8').includes('AbortSignal.any('))).toEqual([])
})

const abortReason = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)))
