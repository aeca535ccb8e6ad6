import type { CommandSpec } from '../command-spec.js'
import { configOption, gatewayOption } from './shared-options.js'

export const upSpec: CommandSpec = {
  name: 'up',
  about: 'Start the gateway',
  more: 'Without a config it serves its examples. A config that was found here is asked about before anything in it is used; elsewhere than in a terminal it waits for toolwire trust, or --trust. Logs are lines of JSON on stderr, or easy to read where that is a terminal.',
  operands: [['[config]', 'an mcp.json; else the usual places are searched']],
  options: [
    configOption,
    { flags: '--trust', about: 'accept a config that was found here, as it is now, without asking' },
    { flags: '--as-found', about: 'use the config that is named no further than if it had been found: what was accepted' },
    { flags: '--stdio', about: 'also serve the parent process over stdin and stdout' },
    { flags: '--port <number>', about: 'listen there; 0 takes any port that is free' },
    { flags: '--host <address>', about: 'listen there; any other than this machine needs callers' },
    { flags: '--policy <file>', about: 'the rules: YAML or JSON' },
    { flags: '--data-dir <folder>', about: 'where audit, approvals and keys are kept' },
    { flags: '--log-level <level>', about: 'debug, info, warning or error' },
    { flags: '--console-port <number>', about: 'where the console is; 4181, or any that is free, if not said' },
    { flags: '--no-console', about: 'no page for people' },
    { flags: '--open', about: 'open the console in the browser' },
  ],
  examples: [
    ['toolwire up', 'serves the servers of ./mcp.json, or the examples'],
    ['toolwire up servers.json --policy policy.yaml --port 8080', 'these servers, under these rules'],
    ['toolwire up --config ~/work/mcp.json', 'a file elsewhere; relative paths in it start from its folder'],
    ['toolwire up --stdio', 'for a host that starts its servers itself'],
  ],
  load: async () => (await import('../up/up.js')).run,
}

export const consoleSpec: CommandSpec = {
  name: 'console',
  about: 'Print a link to the console of the gateway',
  more: 'The link lets one browser in, once, within five minutes. Who has it can do there what you can do here.',
  options: [gatewayOption, { flags: '--open', about: 'open it in the browser instead' }],
  examples: [
    ['toolwire console', 'on the machine of the gateway, which need not be started anew'],
    ['toolwire console --open', 'straight into the browser'],
  ],
  load: async () => (await import('../console.js')).run,
}
