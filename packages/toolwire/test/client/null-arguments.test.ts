// Null for an optional argument. Models send it, and some servers accept it.
import { describe, expect, it } from 'vitest'
import { InvalidArguments } from '../../src/client/index.js'
import { every } from '../revisions.js'
import { connectScripted, plainTool, textResult, toolsPage } from './scripted.js'

const verbose = { type: 'boolean', 'x-mcp-header': 'Verbose' }
const region = { type: 'string', 'x-mcp-header': 'Region' }
const inputSchema = { type: 'object', properties: { region, verbose, note: { type: ['string', 'null'] } }, required: ['region'] }
const script = { 'tools/list': toolsPage([plainTool('look', { inputSchema })]), 'tools/call': textResult('seen') }

describe.each(every)('%s', (revision) => {
  it('sends null unchanged', async () => {
    const { client, server } = await connectScripted(script, { revision })
    const args = { region: 'here', verbose: null, note: null }
    await expect(client.call('look', args)).resolves.toMatchObject({ isError: false })
    expect(server.received('tools/call')).toMatchObject([{ params: { arguments: args } }])
  })

  it('refuses null for a required argument, or beside an invalid argument', async () => {
    const { client, server } = await connectScripted(script, { revision })
    await expect(client.call('look', { region: null })).rejects.toThrow(InvalidArguments)
    await expect(client.call('look', { region: 7, verbose: null })).rejects.toThrow(InvalidArguments)
    expect(server.received('tools/call')).toEqual([])
  })
})

it('XHDR-010 sends no header for null', async () => {
  const { client, server } = await connectScripted(script, { revision: '2026-07-28', shape: 'posts' })
  await client.call('look', { region: 'here', verbose: null })
  const call = server.sent.find(({ method }) => method === 'tools/call')
  const names = call?.mirrored?.filter((_, place) => place % 2 === 0).map((name) => name.toLowerCase())
  expect(names).toContain('mcp-param-region')
  expect(names).not.toContain('mcp-param-verbose')
})
