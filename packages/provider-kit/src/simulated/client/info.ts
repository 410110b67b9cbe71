import type { ServerInfo } from '../../server-info.ts'
import type { ServerView } from '../server/server.ts'
import { states } from '../server/states.ts'

/** A server in the words every provider shares. */
export const serverInfo = (view: ServerView): ServerInfo => ({
  id: view.id,
  state: states.read(view.state),
  ...(view.reason !== undefined && { stateReason: view.reason }),
  launchedAt: view.launchedAt,
  ...(view.flavor !== undefined && { flavor: view.flavor }),
  ...(view.image !== undefined && { image: view.image }),
  addresses: {
    private: view.address === undefined ? [] : [view.address],
    public: view.publicAddress === undefined ? [] : [view.publicAddress],
    ...(view.mac !== undefined && { mac: view.mac }),
  },
  endpoints: view.endpoints,
  services: view.services,
  tags: view.tags,
})
