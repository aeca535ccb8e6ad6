import { type CommandSpec, command, type OptionSpec } from '../command.js'
import { gatewayOption } from './shared-options.js'

const options: readonly OptionSpec[] = [
  gatewayOption,
  ['--user <caller>', 'the caller, if each has a login (default: the login of the gateway)'],
  ['--config <file>', 'if no gateway runs: the mcp.json (default: the usual places)'],
  ['--data-dir <folder>', 'if no gateway runs: the data directory with the logins'],
]

export const loginCommands: readonly CommandSpec[] = [
  command('login', 'Log in to a server with OAuth, or list the logins', {
    more: `For servers with "auth": "oauth" in the config. Your browser opens the server's login page and returns to this machine. The gateway keeps
the tokens, encrypted. If no gateway answers, the login is stored in the data directory for the next start.`,
    operands: [['[server]', 'id of the server, from toolwire status; omit it to list all logins']],
    options: [
      ...options,
      ['--no-browser', 'print the address of the page instead of opening it'],
      ['--scope <scope>', 'request this scope too; repeatable', 'many'],
      ['--port <number>', 'port that the browser returns to, if the client is registered with one (default: a free port)'],
    ],
    examples: [
      ['toolwire login shop', 'for all callers, in your browser'],
      ['toolwire login shop --user ana', 'for the caller ana, if each caller has a login'],
      ['toolwire login shop --no-browser', 'without a browser here: open the address elsewhere, and paste the final address'],
      ['toolwire login', 'lists all logins'],
    ],
    load: async () => (await import('../login/login.js')).run,
  }),
  command('logout', 'Delete a login, and revoke its tokens', {
    more: `The gateway deletes the tokens at once, and revokes them if the authorization server supports that. Otherwise it says so.`,
    operands: [['<server>', 'id of the server, from toolwire login']],
    options,
    examples: [
      ['toolwire logout shop', 'the login for all callers'],
      ['toolwire logout shop --user ana', 'the login of the caller ana'],
    ],
    load: async () => (await import('../login/logout.js')).run,
  }),
]
