// Scenarios without a login, by name.
import { connect } from 'toolwire/client'
import { customHeaders, preservation } from './arguments.js'
import type { Play, Setting } from './play.js'
import { requestState } from './rounds.js'

const scenarios: Readonly<Record<string, Play>> = {
  initialize: listTools,
  'json-schema-ref-no-deref': listTools,
  tools_call: async ({ url }) => {
    await using client = await connect(url)
    await client.call('add_numbers', { a: 2, b: 3 })
  },
  'elicitation-sep1034-client-defaults': async ({ url }) => {
    // Accepts a form with its default values.
    await using client = await connect(url, { answers: { form: ({ prefilled }) => ({ action: 'accept', content: prefilled }) } })
    await client.call('test_client_elicitation_defaults')
  },
  'sse-retry': async ({ url }) => {
    await using client = await connect(url)
    await client.call('test_reconnection')
  },
  'request-metadata': async ({ url }) => {
    const answers = { form: () => ({ action: 'decline' }) as const, model: () => ({}), roots: [{ uri: 'file:///project' }] }
    await using client = await connect(url, { answers })
    await client.listTools()
  },
  'http-standard-headers': everyNamedRequest,
  'http-custom-headers': customHeaders,
  'http-invalid-tool-headers': async ({ url }) => {
    await using client = await connect(url)
    for (const { name } of await client.listTools()) await client.call(name, { region: 'us-west1' })
  },
  'sep-2322-client-request-state': requestState,
  'json-schema-2020-12-preservation': preservation,
}

export const plays: ReadonlyMap<string, Play> = new Map(Object.entries(scenarios))

async function listTools({ url }: Setting): Promise<void> {
  await using client = await connect(url)
  await client.listTools()
}

async function everyNamedRequest({ url }: Setting): Promise<void> {
  await using client = await connect(url)
  for (const { name } of await client.listTools()) await client.call(name)
  for (const { uri } of await client.listResources()) await client.readResource(uri)
  for (const { name } of await client.listPrompts()) await client.getPrompt(name)
}
