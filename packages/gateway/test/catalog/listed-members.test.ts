// Untrusted servers list prompts, resources and templates with members of every name and type.
import fc from 'fast-check'
import { prompt, resource, server, template } from 'toolwire'
import type { ReadyTool } from 'toolwire/guard'
import { describe, expect, it } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import { Pinning } from '../../src/guard/pins/pinning.js'
import { isObject } from '../../src/json/is-object.js'
import { answering, listsOf } from '../support/answering-server.js'
import { folder, started, storeIn, until, upstreamConfig } from '../support/running-gateway.js'
import { client, gateway, http, listening, modern, upstream } from '../support/upstream-fixture.js'

const honest = server({
  name: 'honest',
  version: '1.0.0',
  prompts: { sum: prompt({ run: () => 'Sum it up' }) },
  resources: {
    today: resource({ uri: 'note://today', read: () => 'bread' }),
    notes: template({ uriTemplate: 'note://{day}/all', read: ({ day }) => `of ${day}` }),
  },
})

/** Names of members in our own definitions, and arbitrary names. */
const names = fc.oneof(
  fc.constantFrom(
    ...['scopes', 'server', 'foreign', 'timeout', 'run', 'read', 'args', 'complete', 'excludes', 'kind', 'definition', 'pattern'],
    ...['title', 'description', 'icons', 'mimeType', 'annotations', 'size', '_meta', 'toString', '__proto__'],
  ),
  fc.string({ maxLength: 8 }),
)
const values = fc.oneof(
  fc.constantFrom(1, null, true, ['toolwire:admin'], { toString: 1 }, 'toolwire:admin'),
  fc.jsonValue({ maxDepth: 1 }),
)
const extras = fc.array(fc.tuple(names, values), { maxLength: 6 }).map((members): object => Object.fromEntries(members))

async function listedBy(url: string) {
  const one = await client(url, { revision: '2025-11-25' })
  const listed = {
    prompts: (await one.listPrompts()).map(({ name }) => name),
    resources: (await one.listResources()).map(({ uri }) => uri),
    templates: (await one.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate),
    read: await one.readResource('note://today'),
    got: await one.getPrompt('honest__sum'),
  }
  await one.close()
  return listed
}

describe('members of listed prompts, resources and templates', () => {
  it('change neither the visibility nor the scopes that the gateway requires', async () => {
    const { url } = await listening(honest)
    await fc.assert(
      fc.asyncProperty(extras, extras, extras, async (ofPrompt, ofResource, ofTemplate) => {
        const odd = await answering(
          listsOf({
            prompts: [{ ...ofPrompt, name: 'odd' }],
            resources: [{ ...ofResource, uri: 'odd://it', name: 'odd' }],
            templates: [{ ...ofTemplate, uriTemplate: 'odd://all/{id}', name: 'odd' }],
          }),
        )
        const { url: at, offer } = await gateway([upstream('odd', http(odd)), upstream('honest', http(url))])
        expect(await listedBy(at)).toMatchObject({
          prompts: ['honest__sum', 'odd__odd'],
          resources: ['note://today', 'odd://it'],
          templates: ['note://{day}/all', 'odd://all/{id}'],
          read: [{ text: 'bread' }],
        })
        expect(offer.server['~application'].scopes).toEqual([])
      }),
      { seed: 7, numRuns: howMany(12, 200) },
    )
  })

  it('reach clients only with the types of the protocol', async () => {
    const wrong = { title: 1, description: {}, annotations: [], _meta: 'x', mimeType: [], size: 'big' }
    const resources = [
      { uri: 'odd://wrong', name: { toString: 1 }, ...wrong },
      { uri: 'odd://right', name: 'right', title: 'Right', size: 3, annotations: { priority: 1 } },
    ]
    const { url } = await gateway([upstream('odd', http(await answering(listsOf({ resources }))))])
    expect(await (await client(url)).listResources()).toEqual([
      { uri: 'odd://right', name: 'right', title: 'Right', size: 3, annotations: { priority: 1 } },
      { uri: 'odd://wrong', name: 'odd://wrong' },
    ])
  })
})

describe('icons', () => {
  const safe = fc.constantFrom('https://odd.example/i.png', 'data:image/png;base64,AA==')
  const unsafe = fc.constantFrom(
    ...[
      'javascript:alert(1)',
      ' javascript:alert(1)',
      'http://169.254.169.254/i.png',
      'file:///i.png',
      'data:text/html,x',
      'i.png',
    ],
  )
  const icon = fc.oneof(fc.record({ src: safe }), fc.record({ src: unsafe, mimeType: fc.constant('image/png') }), fc.jsonValue())

  it('reach clients only with addresses that are safe to show, and pins cover all of them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(icon, { maxLength: 6 }), fc.constantFrom('2025-11-25', modern), async (icons, revision) => {
        const lists = listsOf({
          tools: [{ name: 'it', inputSchema: { type: 'object' }, icons }],
          prompts: [{ name: 'it', icons }],
          resources: [{ uri: 'odd://it', name: 'it', icons }],
          templates: [{ uriTemplate: 'odd://{id}', name: 'it', icons }],
        })
        const serverInfo = { ...lists.initialize.serverInfo, icons }
        const at = await answering({ ...lists, initialize: { ...lists.initialize, serverInfo } })
        const tools: ReadyTool[] = []
        const { url } = await gateway([upstream('odd', http(at))], { onRegister: (tool) => tools.push(tool) })
        const one = await client(url, { revision })
        const shown = icons.filter((one) => isObject(one) && /^(?:https:|data:image)/.test(String(one.src)))
        // The raw answers, because the client library would drop such icons itself.
        for (const [method, member] of members) {
          const { [member]: listed } = await one.request(method, {})
          expect(listed).toMatchObject([{ icons: shown }])
        }
        if (revision === modern) expect(await one.request('server/discover', {})).not.toHaveProperty('serverInfo.icons')
        expect(tools.map(({ listed }) => listed.icons)).toEqual([icons])
        await one.close()
      }),
      { seed: 7, numRuns: howMany(12, 200) },
    )
  })
})

const members = [
  ['tools/list', 'tools'],
  ['prompts/list', 'prompts'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
] as const

describe('identifiers that are not strings', () => {
  const odd = { toString: 1 }

  it('remove only their own entries', async () => {
    const { url } = await listening(honest)
    const lists = listsOf({
      tools: [{ name: 'go', inputSchema: { type: 'object' } }],
      prompts: [{ name: odd }, { name: 'fine' }],
      resources: [
        { uri: odd, name: odd },
        { uri: 'odd://it', name: odd },
      ],
      templates: [{ uriTemplate: odd }],
    })
    const running = await started({
      upstreams: [upstreamConfig('odd', http(await answering(lists))), upstreamConfig('honest', http(url))],
    })
    await until(() => running.control.tools().some(({ name, waiting }) => name === 'odd__go' && !waiting))
    expect(await listedBy(running.url)).toMatchObject({
      prompts: ['honest__sum', 'odd__fine'],
      resources: ['note://today', 'odd://it'],
      templates: ['note://{day}/all'],
    })
    expect(running.log.filter((line) => line.includes('cannot be checked'))).toEqual([])
  })

  it('do not stop later checks', async () => {
    const store = await storeIn(folder())
    const troubles: string[] = []
    let isBroken = false
    const pinning = await Pinning.open({
      ...{ store: store.pins, strict: true },
      ...{ onDrift: () => undefined, onAccepted: () => undefined, onChange: () => undefined, onServer: () => undefined },
      ...{ listed: () => [], registered: async () => undefined, isStopping: () => false },
      listedDefinitions: () => {
        if (isBroken) throw new Error('broken')
        return [{ server: 'odd', kind: 'prompt', name: 'one' }]
      },
      onTrouble: (words) => troubles.push(words),
    })
    const prompt = { kind: 'prompt', server: 'odd', serverIdentity: 'x', definition: {} } as const
    pinning.isListedOpen({ ...prompt, made: {}, name: 'one' })
    await pinning.settled()
    isBroken = true
    pinning.tidy()
    await pinning.settled()
    expect(troubles).toEqual([expect.stringContaining('broken')])
    isBroken = false
    pinning.isListedOpen({ ...prompt, made: {}, name: 'two' })
    await pinning.settled()
    expect(pinning.waiting.map(({ tool }) => tool)).toEqual(['prompt one', 'prompt two'])
    await store.close()
  })
})
