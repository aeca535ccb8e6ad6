import type { CommandSpec } from '../command.js'
import { approvalsCommands } from './approvals.js'
import { auditCommands } from './audit.js'
import { callCommands } from './call.js'
import { configCommands } from './config.js'
import { hostsCommands } from './hosts.js'
import { keysCommands } from './keys.js'
import { loginCommands } from './login.js'
import { pinsCommands } from './pins.js'
import { policyCommands } from './policy.js'
import { serversCommands } from './servers.js'
import { storeCommands } from './store.js'
import { upCommands } from './up.js'

export const commandSpecs: readonly CommandSpec[] = [
  ...upCommands,
  ...callCommands,
  ...approvalsCommands,
  ...auditCommands,
  ...pinsCommands,
  ...policyCommands,
  ...keysCommands,
  ...loginCommands,
  ...storeCommands,
  ...configCommands,
  ...serversCommands,
  ...hostsCommands,
]
