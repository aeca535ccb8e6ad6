// Programs with one fault each, and the check that must find it. Each is a function of an input line.
// The server gets the returned line, and the client gets the lines passed to `tell`.
export type PipeCase = readonly [row: string, revision: string, does: string, change: string]

const dialects = '2025-11-25'

export const pipeCases: readonly PipeCase[] = [
  [
    'base-answers-each',
    dialects,
    'forgets a request when another one arrives',
    `(() => {
      let last
      return (line, tell, pass) => {
        if (!line.includes('"tools/list"')) return line
        last = line
        setTimeout(() => { if (last === line) pass(line) }, 5)
      }
    })()`,
  ],
  [
    'base-ping-before-opening',
    dialects,
    'does not support ping at first',
    `(() => {
      let opened = false
      return (line, tell) => {
        opened ||= line.includes('"initialize"')
        if (opened || !line.includes('"ping"')) return line
        tell(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, error: { code: -32601, message: 'No' } }))
      }
    })()`,
  ],
  ['stdio-blank-lines', dialects, 'does not know CR LF', `(line) => (line.endsWith('\\r') ? undefined : line)`],
  ['stdio-blank-lines', dialects, 'ends at a blank line', `(line) => (line === '' ? process.exit(1) : line)`],
  [
    'stdio-only-messages',
    dialects,
    'prints log lines to stdout',
    `(line, tell) => { if (line.includes('"tools/call"')) tell('calling …'); return line }`,
  ],
]
