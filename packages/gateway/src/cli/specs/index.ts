import type { CommandSpec } from '../command-spec.js'
import { approveSpec, denySpec, pendingSpec, watchSpec } from './approvals.js'
import { auditSpec } from './audit.js'
import { callSpec, inspectSpec, listSpec } from './call.js'
import { bridgeSpec, checkSpec, completionSpec, connectSpec, doctorSpec, importSpec } from './hosts.js'
import { loginSpec, logoutSpec } from './login.js'
import { policySpec } from './policy.js'
import { addSpec, removeSpec, setSpec } from './servers.js'
import { keysSpec, pinsSpec, statusSpec } from './status.js'
import { trustSpec } from './trust.js'
import { consoleSpec, upSpec } from './up.js'

/** Every command, in the order in which help shows them. */
export const commandSpecs: readonly CommandSpec[] = [
  upSpec,
  consoleSpec,
  listSpec,
  callSpec,
  inspectSpec,
  statusSpec,
  pendingSpec,
  approveSpec,
  denySpec,
  watchSpec,
  auditSpec,
  pinsSpec,
  policySpec,
  keysSpec,
  loginSpec,
  logoutSpec,
  addSpec,
  removeSpec,
  setSpec,
  trustSpec,
  importSpec,
  connectSpec,
  bridgeSpec,
  doctorSpec,
  checkSpec,
  completionSpec,
]
