import type { Check } from '../row.js'
import { argumentChecks } from './arguments.js'
import { batchChecks } from './batches.js'
import { callChecks, floodChecks } from './calls.js'
import { cancellationChecks } from './cancellation.js'
import { listChangeChecks } from './changes.js'
import { envelopeChecks } from './envelope.js'
import { handshakeChecks } from './handshake.js'
import { headerChecks } from './headers.js'
import { httpChecks } from './http.js'
import { listChecks } from './lists.js'
import { malformedChecks } from './malformed.js'
import { headerAnnotationChecks } from './marks.js'
import { observedChecks } from './observed.js'
import { originChecks } from './origins.js'
import { paginationChecks } from './pages.js'
import { pingChecks } from './pings.js'
import { progressChecks } from './progress.js'
import { resultChecks } from './results.js'
import { schemaChecks } from './schemas.js'
import { perRequestChecks } from './self-describing.js'
import { sessionChecks } from './sessions.js'
import { stableListChecks } from './steady-lists.js'
import { strainChecks } from './strain.js'
import { streamChecks } from './streams.js'
import { structuredContentChecks } from './structured.js'

/** Rows of a lane follow each other, mostly in one conversation; lanes go side by side. */
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
  // These call tools, or look at such calls.
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

/** What puts a strain on a server, one after the other, when nothing else is tried: it may not be itself afterwards. */
export const exclusiveChecks: readonly Check[] = [...floodChecks, ...strainChecks]

/** What looks at everything that was said. */
export const finalChecks: readonly Check[] = [...observedChecks, ...listChangeChecks]

/** Everything that is tried, in the order of reports. */
export const allChecks: readonly Check[] = [...checkLanes.flat(), ...exclusiveChecks, ...finalChecks]
