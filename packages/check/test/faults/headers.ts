import {
  argumentsOf,
  type Case,
  changingHeader,
  clientCapabilities,
  isNoTool,
  isUnknownMethod,
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
      changeRequest: ({ headers }, message) =>
        headers['mcp-protocol-version'] === '1900-01-01' && metaOf(message)[version] === stateless
          ? { headers: { ...headers, 'mcp-protocol-version': stateless } }
          : undefined,
    }),
  ],
  [
    'header-method-missing',
    stateless,
    () => ({
      changeRequest: ({ headers }, { method }) =>
        headers['mcp-method'] === undefined && method === 'tools/list'
          ? { headers: { ...headers, 'mcp-method': 'tools/list' } }
          : undefined,
    }),
  ],
  [
    'header-method-differs',
    stateless,
    () => ({
      changeRequest: ({ headers }, { method }) =>
        headers['mcp-method'] === 'prompts/list' && method === 'tools/list'
          ? { headers: { ...headers, 'mcp-method': 'tools/list' } }
          : undefined,
    }),
  ],
  ['header-method-case', stateless, changingHeader('mcp-method', 'TOOLS/LIST', 'tools/list')],
  [
    'header-name-missing',
    stateless,
    () => ({
      changeRequest: ({ headers }, message) =>
        isNoTool(message) && headers['mcp-name'] === undefined
          ? { headers: { ...headers, 'mcp-name': 'no-tool-has-this-name' } }
          : undefined,
    }),
  ],
  ['header-name-differs', stateless, changingHeader('mcp-name', 'another', 'no-tool-has-this-name')],
  ['header-name-broken', stateless, changingHeader('mcp-name', '=?base64?bm8@?=', 'no-tool-has-this-name')],
  ['header-unknown-method', stateless, status(isUnknownMethod, 200)],
  [
    'header-meta-status',
    stateless,
    () => ({
      changeResponse: (_, message) =>
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
      changeRequest: ({ headers }, message) =>
        toolOf(message) === 'find' && headers['mcp-param-region'] === undefined
          ? { headers: { ...headers, 'mcp-param-region': String(argumentsOf(message).region) } }
          : undefined,
    }),
  ],
]
