// All content of tools, prompts and resources is refused, or is valid in each revision and has no members of later ones.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/json.js'
import { encodeContent, encodeContents } from '../../src/revisions/encode/encode-content.js'
import { revisions } from '../../src/revisions/index.js'
import { checkContent, checkContentMetadata, checkContents } from '../../src/tools/checks/check-content.js'
import type { Content, ResourceContents } from '../../src/tools/content.js'
import { fits } from '../official-schemas.js'

/** Mostly a valid value, and sometimes another one. */
const mostly = (right: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.oneof(
    { weight: 12, arbitrary: right },
    { weight: 1, arbitrary: fc.constantFrom<Json>('0.5', 2, -1, true, null, [], {}, [1], 'x') },
  )
const some = (members: { [name: string]: fc.Arbitrary<Json> }, required: string[]) =>
  fc.record(members, { requiredKeys: required }) as fc.Arbitrary<JsonObject>
const word = fc.constantFrom('a', 'notes', '')

const annotations = mostly(
  some(
    {
      audience: mostly(fc.constantFrom<Json>(['user'], ['user', 'assistant'], [])),
      priority: mostly(fc.constantFrom<Json>(0, 0.5, 1, 1.5)),
      lastModified: mostly(fc.constantFrom('2026-01-02T03:04:05Z', 'yesterday')),
    },
    [],
  ),
)
const icons = mostly(
  fc.array(
    some(
      {
        src: mostly(fc.constant('https://a.example/i.png')),
        mimeType: mostly(word),
        sizes: mostly(fc.constant(['48x48'])),
        theme: mostly(fc.constant('dark')),
      },
      ['src'],
    ),
    { maxLength: 2 },
  ),
)
const about = { annotations, _meta: mostly(fc.constant({ 'com.example/x': 1 })) }
const described = {
  title: mostly(word),
  description: mostly(word),
  mimeType: mostly(fc.constant('text/plain')),
  size: mostly(fc.constantFrom(0, 3, 0.5)),
  icons,
}
const uri = mostly(fc.constantFrom('file:///a', 'a b'))
const contents = fc.oneof(
  some({ uri, text: mostly(word), ...described, ...about }, ['uri', 'text']),
  some({ uri, blob: mostly(fc.constantFrom('AAAA', '?')), ...described, ...about }, ['uri', 'blob']),
)
const media = (type: string) =>
  some(
    { type: fc.constant(type), data: mostly(fc.constantFrom('AAAA', 'A')), mimeType: mostly(fc.constant(`${type}/x`)), ...about },
    ['type', 'data', 'mimeType'],
  )
const block = fc.oneof(
  some({ type: fc.constant('text'), text: mostly(word), ...about }, ['type', 'text']),
  media('image'),
  media('audio'),
  some({ type: fc.constant('resource_link'), uri, name: mostly(word), ...described, ...about }, ['type', 'uri', 'name']),
  some({ type: fc.constant('resource'), resource: mostly(contents), ...about }, ['type', 'resource']),
)

const goes = (check: () => void): boolean => {
  try {
    check()
    return true
  } catch {
    return false // refused; other tests check the reason
  }
}

/** The paths of members that the revision does not define. */
function laterIn(value: Json | undefined, absent: readonly string[], at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one, index) => laterIn(one, absent, `${at}/${index}`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => [
    ...(absent.includes(key) ? [`${at}/${key}`] : []),
    // The content of `_meta` is not defined by the specification.
    ...(key === '_meta' ? [] : laterIn(one as Json, absent, `${at}/${key}`)),
  ])
}

const added = { title: '2025-06-18', _meta: '2025-06-18', lastModified: '2025-06-18', icons: '2025-11-25' }
const absentIn = (version: string) => Object.entries(added).flatMap(([member, since]) => (version < since ? [member] : []))

describe.each(revisions.map((revision) => [revision.version, revision] as const))('content for %s', (version, revision) => {
  const definitions = (type: string) =>
    ({
      text: 'TextContent',
      image: 'ImageContent',
      audio: 'AudioContent',
      resource_link: 'ResourceLink',
      resource: 'EmbeddedResource',
    })[type] ?? type

  it('RESULT-006 RESULT-010 RESULT-011 is valid in the revision, in a result and in a prompt, and has no later members', () => {
    let went = 0
    fc.assert(
      fc.property(block, (made) => {
        if (!goes(() => checkContent(made as unknown as Content))) return
        went++
        const encoded = JSON.parse(JSON.stringify(encodeContent(made as unknown as Content, revision)))
        expect(fits(version, definitions(encoded.type), encoded)).toBeUndefined()
        expect(
          fits(version, 'CallToolResult', { content: [encoded], ...(version >= '2026' && { resultType: 'complete' }) }),
        ).toBeUndefined()
        expect(fits(version, 'PromptMessage', { role: 'user', content: encoded })).toBeUndefined()
        expect(laterIn(encoded, absentIn(version))).toEqual([])
      }),
      { numRuns: 3_000 },
    )
    expect(went).toBeGreaterThan(300)
  })

  it('is valid in a read resource', () => {
    let went = 0
    fc.assert(
      fc.property(contents, (made) => {
        const read = made as unknown as ResourceContents
        if (!goes(() => checkContents(read)) || !goes(() => checkContentMetadata(read))) return
        went++
        const encoded = JSON.parse(JSON.stringify(encodeContents(read, revision)))
        expect(fits(version, 'text' in encoded ? 'TextResourceContents' : 'BlobResourceContents', encoded)).toBeUndefined()
        expect(laterIn(encoded, absentIn(version))).toEqual([])
      }),
      { numRuns: 2_000 },
    )
    expect(went).toBeGreaterThan(150)
  })
})

describe('annotations', () => {
  const uri = 'file:///a'
  const places: [string, (annotations: JsonObject) => JsonObject][] = [
    ['a block', (annotations) => ({ type: 'text', text: '', annotations })],
    ['an embedded resource', (annotations) => ({ type: 'resource', resource: { uri, text: '', annotations } })],
    ['a link', (annotations) => ({ type: 'resource_link', uri, name: 'a', annotations })],
  ]

  it.each(places)('are validated on %s', (_, at) => {
    const checked = (annotations: JsonObject) => () => checkContent(at(annotations) as unknown as Content)
    expect(checked({ priority: 0.5, lastModified: '2026-01-02T03:04:05Z', audience: ['user'] })).not.toThrow()
    for (const priority of ['0.5', 1.1, -0.1, null, true])
      expect(checked({ priority })).toThrow(/priority must be a number between 0 and 1/)
    for (const lastModified of ['yesterday', 5]) expect(checked({ lastModified })).toThrow(/lastModified must be an ISO 8601/)
    for (const audience of ['user', ['everybody']]) expect(checked({ audience })).toThrow(/audience may hold/)
  })
})
