import type { CommandSpec } from '../command-spec.js'
import { connectionOptions, yesOption } from './shared-options.js'

export const listSpec: CommandSpec = {
  name: 'list',
  about: 'List tools: of the gateway, of an address, or of a command',
  operands: [['[address]', 'https://…/mcp of a server; a command stands after --']],
  options: [...connectionOptions, { flags: '--all', about: 'resources and prompts, too' }],
  examples: [
    ['toolwire list', 'what the gateway offers'],
    ['toolwire list https://mcp.example/mcp', 'what a server there offers'],
    ['toolwire list -- npx -y @modelcontextprotocol/server-everything', 'what a program offers'],
    ["toolwire list --json | jq -r '.tools[].name'", 'names, for programs'],
  ],
  load: async () => (await import('../list.js')).run,
}

export const callSpec: CommandSpec = {
  name: 'call',
  about: 'Call a tool',
  more: `Arguments are written name=value (read as the tool's schema says), name:=json, name=@file or name:=@file.json; name=@@text begins with an @.
In a terminal what is missing is asked for, and a tool that may change something is called only after a yes.`,
  operands: [
    ['<tool>', 'its name; toolwire list shows them'],
    ['[arguments...]', 'name=value; and the https://… of a server, if it is not the gateway'],
  ],
  options: [
    ...connectionOptions,
    { flags: '--input <json>', about: 'all arguments as JSON, @file or - for stdin; --json {…} means the same' },
    { flags: '--out <folder>', about: 'where pictures, sounds and files go, if not here' },
    { flags: '--timeout <seconds>', about: 'give up after so long' },
    yesOption,
  ],
  examples: [
    ['toolwire call shop__search query=mug limit=5', 'through the gateway'],
    ['toolwire call add a=1 b=2 -- node server.js', 'of a program'],
    ['toolwire call resize image=@photo.b64 size:=\'{"width":100}\' https://mcp.example/mcp', 'a file and JSON as arguments'],
    ['toolwire call shop__order', 'asks for what is missing'],
  ],
  load: async () => (await import('../call/call.js')).run,
}

export const inspectSpec: CommandSpec = {
  name: 'inspect',
  about: 'Show all that a server says about a tool',
  operands: [
    ['<tool>', 'its name'],
    ['[address]', 'https://…/mcp of a server, if it is not the gateway'],
  ],
  options: connectionOptions,
  examples: [
    ['toolwire inspect shop__order', 'its arguments, its claims, the hash to pin'],
    ['toolwire inspect add --json -- node server.js', 'the definition, to the letter'],
  ],
  load: async () => (await import('../inspect.js')).run,
}
