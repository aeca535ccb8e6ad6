import '../styles/live.css'
import { View } from '../parts/View.js'
import { FinishedCalls } from './FinishedCalls.js'
import { RunningCallTable } from './RunningCallTable.js'
import { Upstreams } from './Upstreams.js'

export default function Live(_: { path: string[] }) {
  return (
    <View title="Live" lead="Calls as they happen, and the state of the servers.">
      <div class="live">
        <RunningCallTable />
        <FinishedCalls />
        <Upstreams />
      </div>
    </View>
  )
}
