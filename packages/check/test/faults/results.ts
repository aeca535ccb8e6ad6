import { type Case, dialects, fromTool, onMethod, streamable, withResult } from './changes.js'

export const resultsCases: readonly Case[] = [
  ['result-content', dialects, fromTool('picture', { content: 'none' })],
  ['result-kinds', dialects, fromTool('picture', { content: [{ type: 'video' }] })],
  ['result-text', dialects, fromTool('steps', { content: [{ type: 'text', text: 7 }] })],
  ['result-media', dialects, fromTool('picture', { content: [{ type: 'image', data: '?', mimeType: 'image/png' }] })],
  ['result-resource', dialects, fromTool('picture', { content: [{ type: 'resource', resource: {} }] })],
  [
    'result-resources-declared',
    dialects,
    onMethod('initialize', (said) => withResult(said, { capabilities: { tools: { listChanged: true } } })),
  ],
  ['result-link', dialects, fromTool('picture', { content: [{ type: 'resource_link', uri: 'a:b' }] })],
  [
    'result-annotations',
    dialects,
    fromTool('steps', { content: [{ type: 'text', text: 'done', annotations: { priority: 7 } }] }),
  ],
  ['result-is-error', dialects, fromTool('picture', { isError: 'no' })],
  ['result-controls', dialects, fromTool('steps', { content: [{ type: 'text', text: '\u001b[2J' }] })],
  ['result-secrets', dialects, fromTool('steps', { content: [{ type: 'text', text: `AKIA${'A'.repeat(16)}` }] })],
  ['result-size', dialects, fromTool('steps', { content: [{ type: 'text', text: 'x'.repeat(2_000_000) }] })],
  ['structured-none', streamable, fromTool('picture', { structuredContent: {} })],
  ['structured-object', dialects, fromTool('picture', { structuredContent: [1], content: [{ type: 'text', text: '[1]' }] })],
  [
    'structured-fits',
    dialects,
    fromTool('add', { structuredContent: { sum: 'x' }, content: [{ type: 'text', text: '{"sum":"x"}' }] }),
  ],
  ['structured-text', dialects, fromTool('add', { content: [] })],
]
