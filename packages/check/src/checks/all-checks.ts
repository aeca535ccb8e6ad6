import type { Check } from '../check.js'
import { headerAnnotationChecks } from './http/header-annotations.js'
import { headerChecks } from './http/headers.js'
import { httpChecks } from './http/http.js'
import { originChecks } from './http/origins.js'
import { sessionChecks } from './http/sessions.js'
import { streamChecks } from './http/streams.js'
import { handshakeChecks } from './lifecycle/handshake.js'
import { perRequestChecks } from './lifecycle/per-request.js'
import { batchChecks } from './messages/batches.js'
import { cancellationChecks } from './messages/cancellation.js'
import { envelopeChecks } from './messages/envelope.js'
import { listChangeChecks } from './messages/list-changes.js'
import { malformedChecks } from './messages/malformed.js'
import { observedChecks } from './messages/observed.js'
import { pingChecks } from './messages/pings.js'
import { progressChecks } from './messages/progress.js'
import { strainChecks } from './strain.js'
import { argumentChecks } from './tools/arguments.js'
import { callChecks, floodChecks } from './tools/calls.js'
import { listChecks } from './tools/lists.js'
import { paginationChecks } from './tools/pagination.js'
import { resultChecks } from './tools/results.js'
import { schemaChecks } from './tools/schemas.js'
import { stableListChecks } from './tools/stable-lists.js'
import { structuredContentChecks } from './tools/structured-content.js'

/** The checks of a lane run one after the other, mostly in one session; lanes run in parallel. */
export const checkLanes: readonly (readonly Check[])[] = [
  [
    ...envelopeChecks,
    ...pingChecks,
    ...handshakeChecks,
    ...perRequestChecks,
    ...listChecks,
    ...stableListChecks,
    ...paginationChecks,
    ...schemaChecks,
    ...headerAnnotationChecks,
    ...httpChecks,
    ...originChecks,
    ...sessionChecks,
    ...headerChecks,
  ],
  // These wait for answers that may never come.
  malformedChecks,
  batchChecks,
  // These call tools, or read the results of such calls.
  [
    ...callChecks,
    ...argumentChecks,
    ...resultChecks,
    ...structuredContentChecks,
    ...progressChecks,
    ...cancellationChecks,
    ...streamChecks,
  ],
]

/** Checks that strain the server, which may not recover: they run one after the other, after all others have ended. */
export const exclusiveChecks: readonly Check[] = [...floodChecks, ...strainChecks]

/** Checks that read all messages received before. */
export const finalChecks: readonly Check[] = [...observedChecks, ...listChangeChecks]

/** All checks, in the order of reports. */
export const allChecks: readonly Check[] = [...checkLanes.flat(), ...exclusiveChecks, ...finalChecks]
