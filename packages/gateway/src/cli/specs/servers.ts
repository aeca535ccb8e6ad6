// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is in quotes here is what people type
import type { CommandSpec } from '../command-spec.js'
import { dryRunOption } from './shared-options.js'

const configOption = {
  flags: '--config <file>',
  about: 'the config (default: the one found here, else ~/.config/toolwire/mcp.json)',
}
const kept =
  'The rest of the file stays unchanged, comments included. The change is validated before it is written, and a backup of the file is kept.'

export const addSpec: CommandSpec = {
  name: 'add',
  about: "Add a server to the gateway's config",
  more: `A server is a command after --, or an address. ${kept}`,
  operands: [
    ['<name>', 'name of the server, and prefix of its tools'],
    ['[url]', 'https://… of a remote server'],
  ],
  options: [
    { flags: '--env <variable>', about: "NAME=value, or NAME to pass on the gateway's own; repeatable", many: true },
    { flags: '--header <line>', about: 'a header to send, as "Name: value"; repeatable', many: true },
    { flags: '--sse', about: 'the address is a 2024-style server (HTTP with server-sent events)' },
    { flags: '--replace', about: 'replace the server with this name' },
    configOption,
    dryRunOption,
  ],
  examples: [
    ['toolwire add files -- npx -y @modelcontextprotocol/server-filesystem .', 'a program that the gateway starts'],
    ['toolwire add github --env GITHUB_TOKEN -- npx -y server-github', 'with a variable whose value is not written to the file'],
    ["toolwire add shop https://shop.example/mcp --header 'Authorization: Bearer ${SHOP_TOKEN}'", 'a server at an address'],
  ],
  load: async () => (await import('../servers/add.js')).run,
}

export const removeSpec: CommandSpec = {
  name: 'remove',
  about: "Remove a server and its settings from the gateway's config",
  more: kept,
  operands: [['<name>', 'name of the server, from the config or toolwire status']],
  options: [configOption, dryRunOption],
  examples: [['toolwire remove files --dry-run', 'show the change as a diff']],
  load: async () => (await import('../servers/remove.js')).run,
}

export const setSpec: CommandSpec = {
  name: 'set',
  about: 'Change a setting of the gateway in its config',
  more: `The value is JSON, or text if it is not valid JSON. ${kept}`,
  operands: [
    ['<setting>', 'a setting under "toolwire" in the config: port, guard.rate.calls, servers.shop.trusted'],
    ['[value]', 'new value'],
  ],
  options: [{ flags: '--unset', about: 'remove the setting' }, configOption, dryRunOption],
  examples: [
    ['toolwire set guard.rate.calls 120', 'a number'],
    ['toolwire set servers.files.only \'["read_*"]\'', 'JSON'],
    ['toolwire set policy --unset', 'restores the default'],
  ],
  load: async () => (await import('../servers/set.js')).run,
}
