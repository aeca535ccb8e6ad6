import { type CommandSpec, command } from '../command.js'
import { configOption, gatewayOption } from './shared-options.js'

export const upCommands: readonly CommandSpec[] = [
  command('up', 'Start the gateway', {
    more: 'Without a config it serves its examples. In a terminal it asks before it uses a config that was found here. Elsewhere the config waits for toolwire trust, or --trust. Logs go to stderr, as text in a terminal and as JSON lines elsewhere.',
    operands: [['[config]', 'an mcp.json (default: the usual places)']],
    options: [
      configOption,
      ['--trust', 'accept the current config that was found here, without asking'],
      ['--as-found', 'treat the named config as found: use only its accepted parts'],
      ['--stdio', 'also serve the parent process over stdin and stdout'],
      ['--port <number>', 'port to listen on; 0 picks a free one'],
      ['--host <address>', 'address to listen on; one beyond this machine needs callers'],
      ['--policy <file>', 'rules as YAML or JSON'],
      ['--data-dir <folder>', 'folder for the audit log, approvals and keys'],
      ['--log-level <level>', 'debug, info, warning or error'],
      ['--console-port <number>', 'port of the console (default 4181, or a free one)'],
      ['--no-console', 'do not serve the web console'],
      ['--open', 'open the console in the browser'],
    ],
    examples: [
      ['toolwire up', 'serves the servers of ./mcp.json, or the examples'],
      ['toolwire up servers.json --policy policy.yaml --port 8080', 'with these servers and rules'],
      ['toolwire up --config ~/work/mcp.json', 'a file elsewhere; its relative paths start from its folder'],
      ['toolwire up --stdio', 'for a host that starts its servers itself'],
    ],
    load: async () => (await import('../up/up.js')).run,
  }),
  command('console', 'Print a link to the console of the gateway', {
    more: 'The link signs in one browser, once, within five minutes. Its holder can do everything that you can do here.',
    options: [gatewayOption, ['--open', 'open the console in the browser instead']],
    examples: [
      ['toolwire console', 'on the machine of the gateway, without a restart'],
      ['toolwire console --open', 'opens the browser'],
    ],
    load: async () => (await import('../console.js')).run,
  }),
]
