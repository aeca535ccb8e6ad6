import type { CommandSpec, OptionSpec } from '../command-spec.js'
import { gatewayOption } from './shared-options.js'

const options: readonly OptionSpec[] = [
  gatewayOption,
  { flags: '--user <caller>', about: 'the caller whose login it is, where each has one; the one of the gateway if not said' },
  { flags: '--config <file>', about: 'where no gateway runs: the mcp.json; else the usual places are searched' },
  { flags: '--data-dir <folder>', about: 'where no gateway runs: where logins are kept' },
]

export const loginSpec: CommandSpec = {
  name: 'login',
  about: 'Log in to a server that wants to know who is calling, and say who has',
  more: `For servers with "auth": "oauth" in the config. Your browser is sent to the server's login page and comes back to this machine; the tokens stay
with the gateway, sealed. Where no gateway answers, they are put into the data directory, for the next start. Without a server it shows all logins.`,
  operands: [['[server]', 'its id; toolwire status shows them']],
  options: [
    ...options,
    { flags: '--no-browser', about: 'print the address of the page instead of opening it' },
    { flags: '--scope <scope>', about: 'ask for this as well; as often as needed', many: true },
    {
      flags: '--port <number>',
      about: 'where the browser comes back to, if the client is registered with a port; any that is free if not said',
    },
  ],
  examples: [
    ['toolwire login shop', 'for all callers, in your browser'],
    ['toolwire login shop --user ana', 'for the caller ana, where each has a login of their own'],
    [
      'toolwire login shop --no-browser',
      'on a machine without one: open the address elsewhere, and paste the one that you end at',
    ],
    ['toolwire login', 'who has logged in to what'],
  ],
  load: async () => (await import('../login/login.js')).run,
}

export const logoutSpec: CommandSpec = {
  name: 'logout',
  about: 'Forget a login, and revoke its tokens',
  more: `The gateway forgets its tokens at once, and has them revoked where the authorization server offers that; where it cannot, it says so. What they
were good for, the server may go on to list for you on its own pages.`,
  operands: [['<server>', 'as toolwire login shows it']],
  options,
  examples: [
    ['toolwire logout shop', 'the one for all callers'],
    ['toolwire logout shop --user ana', "the caller ana's own"],
  ],
  load: async () => (await import('../login/logout.js')).run,
}
