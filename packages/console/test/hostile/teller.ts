// The hostile server and its messages.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { UpstreamConfig } from '../../../gateway/src/config/gateway-config.js'
import { child, folder, upstreamConfig } from '../../../gateway/test/support/running-gateway.js'
import { all, hostile } from './hostile-words.js'

const program = fileURLToPath(new URL('./teller-server.mjs', import.meta.url))
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const evil = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script></svg>'
const nothing = { type: 'object', properties: {} }

/** Schema keywords that a form or an outline shows. */
const fields = {
  type: 'object',
  title: hostile('schema title'),
  description: hostile('schema description'),
  required: [hostile('property')],
  properties: {
    [hostile('property')]: { type: 'string', title: hostile('field title'), description: hostile('field description') },
    ...{ constructor: { type: 'string' }, choice: { enum: [hostile('choice'), 'b'] } },
    either: { oneOf: [{ const: 'a', title: hostile('either') }, { type: 'number' }] },
    given: { type: 'string', default: hostile('default'), examples: [hostile('example')] },
    like: { type: 'string', pattern: '<x-hostile>+' },
  },
}

const content = [
  ...all.map((text) => ({ type: 'text', text })),
  { type: 'image', data: dot, mimeType: 'image/png' },
  { type: 'image', data: Buffer.from(evil).toString('base64'), mimeType: 'image/svg+xml' },
  { type: 'image', data: 'no base64', mimeType: hostile('image type') },
  { type: 'audio', data: dot, mimeType: hostile('audio type') },
  { type: 'resource_link', uri: `javascript:alert('uri')`, name: hostile('link name') },
  {
    type: 'resource_link',
    uri: 'data:text/html,<x-hostile>',
    name: 'x',
    title: hostile('link title'),
    description: hostile('link description'),
  },
  { type: 'resource', resource: { uri: hostile('resource uri'), mimeType: 'text/html', text: hostile('resource text') } },
  { type: 'resource', resource: { uri: 'evil:svg', mimeType: 'image/svg+xml', blob: Buffer.from(evil).toString('base64') } },
  { type: 'text', text: hostile('annotated'), annotations: { audience: [hostile('audience')] } },
]

const structured = {
  [hostile('key')]: hostile('value'),
  rows: all.map((text, at) => ({ text, at, [hostile('column')]: text })),
  inner: Object.fromEntries(all.map((text, at) => [`${at} ${text}`, text])),
}

const form = {
  type: 'object',
  properties: { answer: { type: 'string', title: hostile('asked title'), description: hostile('asked description') } },
}

const scriptWith = (change: string) => ({
  tools: [
    {
      name: 'shows',
      title: hostile('tool title'),
      description: `${hostile('tool description')}\n${all.join('\n')}${change}`,
      inputSchema: fields,
      outputSchema: {
        type: 'object',
        properties: { [hostile('output')]: { type: 'string', description: hostile('about output') } },
      },
      annotations: { title: hostile('claimed title'), readOnlyHint: true, destructiveHint: hostile('hint') },
    },
    { name: 'asks', description: change || 'asks', inputSchema: nothing },
    ...['waits', 'fails'].map((name) => ({ name, inputSchema: { type: 'object' } })),
    ...all.map((title, at) => ({ name: `tool-${at}`, title, description: title, inputSchema: nothing })),
    { name: `<x-hostile onclick=alert('name')>`, inputSchema: nothing },
  ],
  results: {
    shows: { content, structuredContent: structured, _meta: { [hostile('meta')]: hostile('meta value') } },
    fails: hostile('error'),
  },
  progress: [hostile('progress')],
  question: { message: hostile('question'), requestedSchema: form },
})

/** A server whose every text is hostile. The argument `change` changes its definitions. */
export function teller(change = '', id = hostile('server')): UpstreamConfig {
  const script = join(folder(), 'script.json')
  writeFileSync(script, JSON.stringify(scriptWith(change)))
  return upstreamConfig(id, child(program, script), { prefix: 'teller' })
}
