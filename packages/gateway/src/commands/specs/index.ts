import type { CommandSpec } from '../spec.js'
import { auditSpec } from './audit.js'
import { callSpec, inspectSpec, listSpec } from './calling.js'
import { approveSpec, denySpec, pendingSpec, watchSpec } from './deciding.js'
import { keysSpec, pinsSpec, statusSpec } from './keeping.js'
import { loginSpec, logoutSpec } from './login.js'
import { checkSpec, completionSpec, connectSpec, doctorSpec, importSpec } from './machine.js'
import { policySpec } from './policy.js'
import { consoleSpec, upSpec } from './up.js'

/** Every command, in the order in which help shows them. */
export const specs: readonly CommandSpec[] = [
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
  importSpec,
  connectSpec,
  doctorSpec,
  checkSpec,
  completionSpec,
]
