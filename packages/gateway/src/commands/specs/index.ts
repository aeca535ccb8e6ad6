import type { CommandSpec } from '../spec.js'
import { auditSpec } from './audit.js'
import { callSpec, inspectSpec, listSpec } from './calling.js'
import { approveSpec, denySpec, pendingSpec, watchSpec } from './deciding.js'
import { addSpec, removeSpec, setSpec } from './editing.js'
import { keysSpec, pinsSpec, statusSpec } from './keeping.js'
import { loginSpec, logoutSpec } from './login.js'
import { bridgeSpec, checkSpec, completionSpec, connectSpec, doctorSpec, importSpec } from './machine.js'
import { policySpec } from './policy.js'
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
