import {
  argumentsOf,
  type Case,
  clientCapabilities,
  heading,
  isNobodys,
  isNoTool,
  metaOf,
  stateless,
  status,
  toolOf,
  version,
} from './changes.js'

export const headersCases: readonly Case[] = [
  [
    'header-version-differs',
    stateless,
    () => ({
      hear: ({ headers }, message) =>
        headers['mcp-protocol-version'] === '1900-01-01' && metaOf(message)[version] === stateless
          ? { headers: { ...headers, 'mcp-protocol-version': stateless } }
          : undefined,
    }),
  ],
  [
    'header-method-missing',
    stateless,
    () => ({
      hear: ({ headers }, { method }) =>
        headers['mcp-method'] === undefined && method === 'tools/list'
          ? { headers: { ...headers, 'mcp-method': 'tools/list' } }
          : undefined,
    }),
  ],
  [
    'header-method-differs',
    stateless,
    () => ({
      hear: ({ headers }, { method }) =>
        headers['mcp-method'] === 'prompts/list' && method === 'tools/list'
          ? { headers: { ...headers, 'mcp-method': 'tools/list' } }
          : undefined,
    }),
  ],
  ['header-method-case', stateless, heading('mcp-method', 'TOOLS/LIST', 'tools/list')],
  [
    'header-name-missing',
    stateless,
    () => ({
      hear: ({ headers }, message) =>
        isNoTool(message) && headers['mcp-name'] === undefined
          ? { headers: { ...headers, 'mcp-name': 'no-tool-has-this-name' } }
          : undefined,
    }),
  ],
  ['header-name-differs', stateless, heading('mcp-name', 'another', 'no-tool-has-this-name')],
  ['header-name-broken', stateless, heading('mcp-name', '=?base64?bm8@?=', 'no-tool-has-this-name')],
  ['header-unknown-method', stateless, status(isNobodys, 200)],
  [
    'header-meta-status',
    stateless,
    () => ({
      reply: (_, message) =>
        message.method === 'tools/list' && !Array.isArray(message) && metaOf(message)[clientCapabilities] === undefined
          ? { status: 200 }
          : undefined,
    }),
  ],
  ['header-version-status', stateless, status((message) => metaOf(message)[version] === '1900-01-01', 200)],
  ['header-spaces', stateless, () => ({ refuses: (head) => /^mcp-method: {2}/im.test(head) })],
  ['header-name-case', stateless, () => ({ refuses: (head) => /^MCP-METHOD:/m.test(head) })],
  [
    'header-param-missing',
    stateless,
    () => ({
      hear: ({ headers }, message) =>
        toolOf(message) === 'find' && headers['mcp-param-region'] === undefined
          ? { headers: { ...headers, 'mcp-param-region': String(argumentsOf(message).region) } }
          : undefined,
    }),
  ],
]
