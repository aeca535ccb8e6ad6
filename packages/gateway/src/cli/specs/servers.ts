// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is in quotes here is what people type
import type { CommandSpec } from '../command-spec.js'
import { dryRunOption } from './shared-options.js'

const configOption = {
  flags: '--config <file>',
  about: 'the config; else the one that the gateway would read here, else ~/.config/toolwire/mcp.json',
}
const kept =
  'Comments and everything else in the file stay as they are, the change is checked before it is written, and the old file is kept beside it.'

export const addSpec: CommandSpec = {
  name: 'add',
  about: "Add a server to the gateway's config",
  more: `A server is a command after --, or an address. ${kept}`,
  operands: [
    ['<name>', 'what its tools are named after'],
    ['[url]', 'https://… of a server that runs elsewhere'],
  ],
  options: [
    { flags: '--env <variable>', about: 'NAME=value, or NAME for the one of the gateway itself; as often as needed', many: true },
    { flags: '--header <line>', about: 'a header to send, as "Name: value"; as often as needed', many: true },
    { flags: '--sse', about: 'the address is of a server of 2024 (HTTP with server-sent events)' },
    { flags: '--replace', about: 'in the place of the server of this name' },
    configOption,
    dryRunOption,
  ],
  examples: [
    ['toolwire add files -- npx -y @modelcontextprotocol/server-filesystem .', 'a program, started by the gateway'],
    ['toolwire add github --env GITHUB_TOKEN -- npx -y server-github', 'with a variable whose value stays out of the file'],
    ["toolwire add shop https://shop.example/mcp --header 'Authorization: Bearer ${SHOP_TOKEN}'", 'a server at an address'],
  ],
  load: async () => (await import('../servers/add.js')).run,
}

export const removeSpec: CommandSpec = {
  name: 'remove',
  about: "Remove a server from the gateway's config, and the settings for it",
  more: kept,
  operands: [['<name>', 'as the config or toolwire status has it']],
  options: [configOption, dryRunOption],
  examples: [['toolwire remove files --dry-run', 'the change, as a diff']],
  load: async () => (await import('../servers/remove.js')).run,
}

export const setSpec: CommandSpec = {
  name: 'set',
  about: 'Change a setting of the gateway in its config',
  more: `The value is JSON, or text where it is no JSON. ${kept}`,
  operands: [
    ['<setting>', 'what stands under "toolwire" in the config: port, guard.rate.calls, servers.shop.trusted'],
    ['[value]', 'what it is to be'],
  ],
  options: [{ flags: '--unset', about: 'take the setting out' }, configOption, dryRunOption],
  examples: [
    ['toolwire set guard.rate.calls 120', 'a number'],
    ['toolwire set servers.files.only \'["read_*"]\'', 'JSON'],
    ['toolwire set policy --unset', 'as if it had never been said'],
  ],
  load: async () => (await import('../servers/set.js')).run,
}
