// A gateway over stdio: <profile> <upstreams, as JSON>
import { serveStdio } from 'toolwire/stdio'
import { offerOf } from './aggregate-server-of.js'

const [profile, upstreams = '[]'] = process.argv.slice(2)
const { offer, close } = await offerOf(JSON.parse(upstreams), profile === 'pocket')
await serveStdio(offer.server)
await close()
