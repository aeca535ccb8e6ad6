// The selection of schema repairs by client, and their effect.
import type { JsonObject } from 'toolwire'
import type { ReadyTool } from 'toolwire/guard'
import type { ListedTool, types } from 'toolwire/relay'
import { describe, expect, it } from 'vitest'
import { clientViews } from '../../src/catalog/clients/client-views.js'
import { schemaProblemsOf } from '../../src/catalog/clients/known-clients.js'
import type { ClientsConfig } from '../../src/config/gateway-config.js'

const newest = 'https://json-schema.org/draft/2020-12/schema'
const draft07 = 'http://json-schema.org/draft-07/schema#'

function showings(clients: ClientsConfig = {}) {
  const notes: string[] = []
  return {
    notes,
    toolViewFor: clientViews(
      () => clients,
      (text) => notes.push(text),
    ),
  }
}

const toolOf = (listed: ListedTool): ReadyTool => ({
  name: listed.name,
  listed,
  definition: { run: () => undefined },
  checkInput: (value) => ({ value }),
  checkOutput: undefined,
})
const taking = (inputSchema: JsonObject, more: Partial<ListedTool> = {}) => toolOf({ name: 'files__move', inputSchema, ...more })

const flat = { type: 'object', properties: { a: { type: 'string' } } }
const referring = { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } }
const either = { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] }
const tree = { type: 'object', properties: { next: { $ref: '#' } } }

/** The view of tools for that client. */
function showingFor(name: string, clients?: ClientsConfig): types.ToolView {
  return showings(clients).toolViewFor({ name, version: '1' }) ?? (({ listed }) => listed)
}

describe('a client', () => {
  it.each([
    ['claude-code', ['combinations']],
    ['claude-code (via mcp-remote 0.1.37)', ['combinations']],
    ['gemini-cli-mcp-client-files', ['references']],
    ['github-copilot-developer', ['references']],
    ['opencode', ['references']],
    ['Visual Studio Code - Insiders', ['newerDialect']],
    ['Visual Studio', []],
    ['my-claude-code', []],
    ['', []],
  ])('that calls itself %j has the known problems %j', (name, troubles) => {
    expect(schemaProblemsOf(name, {})).toEqual(troubles)
  })

  it("has the problems in the operator's config first, in upper or lower case", () => {
    const clients: ClientsConfig = { 'claude-code*': { schemas: 'original' }, 'My Agent*': { schemas: 'plain' }, '*code': {} }
    expect(schemaProblemsOf('Claude-Code', clients)).toEqual([])
    expect(schemaProblemsOf('my agent 2', clients)).toEqual(['references', 'combinations', 'dialect'])
    expect(schemaProblemsOf('opencode', clients)).toEqual(['references'])
  })

  it('without a valid name sees the common view', () => {
    const { toolViewFor: showingFor } = showings()
    for (const clientInfo of [undefined, {}, { name: 7 }, { name: 'x'.repeat(100_000) }])
      expect(showingFor(clientInfo as JsonObject | undefined)).toBeUndefined()
  })

  it('shares its view with similar clients', () => {
    const { toolViewFor: showingFor } = showings()
    expect(showingFor({ name: 'opencode' })).toBe(showingFor({ name: 'gemini-cli-mcp-client' }))
    expect(showingFor({ name: 'opencode' })).not.toBe(showingFor({ name: 'claude-code' }))
  })
})

describe('a tool without problems', () => {
  it.each<[string, JsonObject]>([
    ['opencode', flat],
    ['opencode', either],
    ['opencode', { $schema: newest, ...flat }],
    ['claude-code', referring],
    ['claude-code', tree],
    ['Visual Studio Code', tree],
    ['Visual Studio Code', { $schema: draft07, ...tree }],
  ])('is shown to %s unchanged: %j', (client, inputSchema) => {
    const tool = taking(inputSchema, { outputSchema: either })
    expect(showingFor(client)(tool)).toBe(tool.listed)
  })
})

describe('a tool with a problem for a client', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['opencode', referring, flat],
    ['claude-code', either, { type: 'object', properties: {} }],
    ['Visual Studio Code', { $schema: newest, ...tree }, tree],
    ['plain', { $schema: draft07, ...referring }, flat],
    ['plain', { $schema: newest, ...either }, { type: 'object', properties: {} }],
    ['plain', { $schema: newest, ...flat }, flat],
  ])('is shown to %s repaired: %j', (client, inputSchema, shown) => {
    const tool = taking(inputSchema, { title: 'Move', annotations: { readOnlyHint: true } })
    const clients: ClientsConfig = { plain: { schemas: 'plain' } }
    expect(showingFor(client, clients)(tool)).toEqual({ ...tool.listed, inputSchema: shown })
  })

  it('has its output schema repaired, too, or omitted', () => {
    const show = showingFor('opencode')
    expect(show(taking(flat, { outputSchema: referring }))).toMatchObject({ inputSchema: flat, outputSchema: flat })
    expect(show(taking(flat, { outputSchema: tree }))).toEqual({ name: 'files__move', inputSchema: flat })
    const odd = taking(flat, { outputSchema: { anyOf: [{ $ref: '#/$defs/a' }], $defs: { a: true } } })
    expect(show(odd)).toMatchObject({ outputSchema: { anyOf: [{}] } })
  })

  it('is repaired once', () => {
    const show = showingFor('opencode')
    const tool = taking(referring)
    expect(show(tool)).toBe(show(tool))
  })
})

describe('a tool that cannot be repaired', () => {
  it('is left out, and the log reports it once with the reason', () => {
    const { toolViewFor: showingFor, notes } = showings()
    const show = showingFor({ name: 'opencode' })
    expect([show?.(taking(tree)), show?.(taking(tree)), show?.(taking(flat))?.name]).toEqual([
      undefined,
      undefined,
      'files__move',
    ])
    const [note, ...more] = notes
    expect(more).toEqual([])
    expect(note).toMatch(
      /^files__move is not listed for clients that cannot read \$ref, because its schema cannot be rewritten: \$ref at \/properties\/next.* refers to itself$/,
    )
  })
})
