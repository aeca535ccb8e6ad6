import { type Case, changingToolResult, dialects, onMethod, streamable, withResult } from './changes.js'

export const resultsCases: readonly Case[] = [
  ['result-content', dialects, changingToolResult('picture', { content: 'none' })],
  ['result-kinds', dialects, changingToolResult('picture', { content: [{ type: 'video' }] })],
  ['result-text', dialects, changingToolResult('steps', { content: [{ type: 'text', text: 7 }] })],
  ['result-media', dialects, changingToolResult('picture', { content: [{ type: 'image', data: '?', mimeType: 'image/png' }] })],
  ['result-resource', dialects, changingToolResult('picture', { content: [{ type: 'resource', resource: {} }] })],
  [
    'result-resources-declared',
    dialects,
    onMethod('initialize', (reply) => withResult(reply, { capabilities: { tools: { listChanged: true } } })),
  ],
  ['result-link', dialects, changingToolResult('picture', { content: [{ type: 'resource_link', uri: 'a:b' }] })],
  [
    'result-annotations',
    dialects,
    changingToolResult('steps', { content: [{ type: 'text', text: 'done', annotations: { priority: 7 } }] }),
  ],
  ['result-is-error', dialects, changingToolResult('picture', { isError: 'no' })],
  ['result-controls', dialects, changingToolResult('steps', { content: [{ type: 'text', text: '\u001b[2J' }] })],
  ['result-secrets', dialects, changingToolResult('steps', { content: [{ type: 'text', text: `AKIA${'A'.repeat(16)}` }] })],
  ['result-size', dialects, changingToolResult('steps', { content: [{ type: 'text', text: 'x'.repeat(2_000_000) }] })],
  ['structured-none', streamable, changingToolResult('picture', { structuredContent: {} })],
  [
    'structured-object',
    dialects,
    changingToolResult('picture', { structuredContent: [1], content: [{ type: 'text', text: '[1]' }] }),
  ],
  [
    'structured-fits',
    dialects,
    changingToolResult('add', { structuredContent: { sum: 'x' }, content: [{ type: 'text', text: '{"sum":"x"}' }] }),
  ],
  ['structured-text', dialects, changingToolResult('add', { content: [] })],
]
