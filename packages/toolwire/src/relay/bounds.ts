// `bounds` of toolwire/relay.
export { BoundedMap } from '../bounds/bounded-map.js'
export { CancelSource } from '../bounds/cancel-token.js'
export { rejectOnAbort } from '../bounds/reject-on-abort.js'
export { sharedRoom } from '../bounds/shared-room.js'
