import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { folderForEach } from './config-folder.js'

const folder = folderForEach()
const guide = readFileSync(fileURLToPath(new URL('../../../../docs/guides/gateway-config.md', import.meta.url)), 'utf8')
const examples = [...guide.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, text = '']) => text)
const env = { SHOP_TOKEN: 'a', TOOLWIRE_INPUT_GITHUB_TOKEN: 'b' }

it.each(examples)('an example in the guide is valid: %s', async (text) => {
  const { warnings } = await folder.load(text, { env })
  expect(warnings).toEqual([])
})

it('the guide lists all settings with their defaults', async () => {
  const full = examples.find((text) => text.includes('"port"')) ?? ''
  const { secrets: _, written: __, ...explicit } = await folder.load(full)
  const { secrets: ___, written: ____, ...defaults } = await folder.load({ mcpServers: { files: { command: 'server-files' } } })
  const [server] = defaults.upstreams
  const timeout = { idleMs: 60_000, totalMs: 300_000 }
  const named = { policy: folder.at('policy.yaml'), import: [], commands: ['*'] }
  expect(explicit).toEqual({ ...defaults, ...named, upstreams: [{ ...server, timeout }] })
})
