// A gateway over stdio: <profile> <upstreams, as JSON>
import { serveStdio } from 'toolwire/stdio'
import { aggregateServerOf } from './aggregate-server-of.js'

const [profile, upstreams = '[]'] = process.argv.slice(2)
const { offer, close } = await aggregateServerOf(JSON.parse(upstreams), profile === 'pocket')
await serveStdio(offer.server)
await close()
