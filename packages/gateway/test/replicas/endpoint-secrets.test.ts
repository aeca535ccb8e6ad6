// Sessions, cursors and states sealed by one gateway, at another one with the same vault key, and after a restart.
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HttpPeer } from '../../../toolwire/test/transports/peers.js'
import { openStore } from '../../src/store/open-store.js'
import { builtWorker } from '../support/build-program.js'
import { folder, started, upstreamConfig } from '../support/running-gateway.js'
import { askingServer } from '../support/upstream-fixture.js'

const keyOf = (index: number) => Buffer.alloc(32, index).toString('base64')

async function gateway({ vaultKey, dataDir = join(folder(), 'data') }: { vaultKey?: string; dataDir?: string }) {
  const { target } = await askingServer(undefined, 'http')
  const store = await openStore(dataDir, { worker: await builtWorker(), vaultKey })
  const sets = { few: ['asking__sum'] }
  const gateway = await started({ upstreams: [upstreamConfig('asking', target)], sets, dataDir }, { store })
  onTestFinished(() => gateway.close({ drainMs: 0, delayMs: 0 }))
  return { ...gateway, dataDir }
}

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

async function tokenOf(url: string): Promise<string> {
  const peer = new HttpPeer(url)
  await peer.say(JSON.stringify(initialize), 'response')
  return peer.session ?? ''
}

async function pinged(url: string, token: string): Promise<number> {
  const peer = new HttpPeer(url)
  peer.session = token
  return (await peer.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }))).status
}

describe('a session token', () => {
  it('is valid at each gateway with the same vault key, and at no other', async () => {
    const one = await gateway({ vaultKey: keyOf(1) })
    const same = await gateway({ vaultKey: keyOf(1) })
    const other = await gateway({ vaultKey: keyOf(2) })
    const own = await gateway({})
    const token = await tokenOf(one.url)
    const all = [one, same, other, own].map(({ url }) => pinged(url, token))
    expect(await Promise.all(all)).toEqual([200, 200, 404, 404])
  })

  it('is valid after a restart in the same directory, with the key in its file', async () => {
    const first = await gateway({})
    const token = await tokenOf(first.url)
    await first.close({ drainMs: 0 })
    const again = await gateway({ dataDir: first.dataDir })
    expect(await pinged(again.url, token)).toBe(200)
  })

  it('is valid only for the endpoint that issued it', async () => {
    const { url } = await gateway({ vaultKey: keyOf(1) })
    const other = await gateway({ vaultKey: keyOf(1) })
    const [token, ofSet] = [await tokenOf(url), await tokenOf(`${url}/few`)]
    expect([await pinged(url, token), await pinged(`${url}/few`, ofSet), await pinged(`${other.url}/few`, ofSet)]).toEqual([
      200, 200, 200,
    ])
    expect([await pinged(`${url}/few`, token), await pinged(url, ofSet), await pinged(other.url, ofSet)]).toEqual([404, 404, 404])
  })
})
