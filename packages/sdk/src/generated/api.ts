// Written by `npm run docs` from the API's own description: change the API, not this file.

/** What a route takes as it is: bytes of any number. */
export type Upload = Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>

export type Variables = {
  readonly name: string
  /** string unless said. */
  readonly type?: 'string' | 'int' | 'bool' | 'enum' | 'secret' | 'computed'
  readonly description?: string
  /** It must have a value; one without is empty unless said. */
  readonly required?: boolean
  /** Its value where none is given. */
  readonly default?: string | number | boolean
  /** Of an enum: what it can be. */
  readonly enum?: readonly string[]
  /** Of a string: a regular expression that it must match. */
  readonly pattern?: string
  /** Of an int its least value, of a string its least length. */
  readonly min?: number
  /** The largest. */
  readonly max?: number
  /** Of a computed one: text with other variables in it. */
  readonly value?: string
}

/** The values of variables, by name. */
export type VariableValues = {
  readonly [name: string]: string | number | boolean | {
    /** A secret of the project, by name or id; kept by id. */
    readonly secret: string
    /** The newest at launch unless said. */
    readonly version?: number
  } | {
    /** Names the content without revealing it. */
    readonly sealed: string
    readonly sizeBytes: number
  }
}

/** What it is made of: exactly one of these. */
export type AdoptSource = {
  readonly machine?: {
    /** A size that the region offers. */
    readonly flavor: string
    /** What to boot. */
    readonly image: string
    /** What it is attached to. The region follows from it. */
    readonly network?: string
    /** Who may reach it. */
    readonly securityGroups?: readonly string[]
    readonly publicIp?: boolean
    /** Its addresses, private and public, stay its own: when it is stopped, and when it is replaced or made anew. To be replaced it is stopped first; if its successor does not come up, it is started again with them. */
    readonly keepAddresses?: boolean
    /** Further addresses it may send from, as CIDR: for routers and the like. */
    readonly allowedSourceAddresses?: readonly string[]
    /** Whose certificates it lets in. */
    readonly sshAuthority?: string
    readonly sshKeys?: readonly string[]
    /** Written as text, or read back as size and hash; sent back as it was read, it is unchanged. */
    readonly userData?: string | {
      /** Names the content without revealing it. */
      readonly sealed: string
      readonly sizeBytes: number
      /** It was given as text that refers to something, and is rendered. */
      readonly template?: boolean
    }
    /** In place of userData, where it is not text. */
    readonly userDataBase64?: string
    readonly diskGiB?: number
  }
  readonly services?: {
    /** It never changes. */
    readonly kind?: 'deployment' | 'statefulSet'
    /** What all of it is attached to, besides the network of its own: there others reach it by its name. It never changes. */
    readonly network?: string
    readonly services: {
      readonly [name: string]: {
        /** main unless said. */
        readonly role?: 'main' | 'sidecar' | 'init'
        readonly image: string
        readonly command?: readonly string[]
        readonly args?: readonly string[]
        /** Readable by whoever may read the instance. */
        readonly env?: {
          readonly [name: string]: string
        }
        /** Configuration files, by path. Readable by whoever may read the instance. */
        readonly files?: {
          readonly [name: string]: {
            readonly content?: string
            readonly contentBase64?: string
            /** Its permissions, in octal; 0444 unless said, and 0400 of a secret one. */
            readonly mode?: string
            /** It is for the service alone, and not on a disk where its region can keep it in memory. */
            readonly secret?: boolean
          }
        }
        /** Secrets of the project, in the environment or in files. */
        readonly secrets?: readonly {
          /** A secret of the project, by name or id; kept by id. */
          readonly name: string
          /** The environment variable it is given in; this, or `file`. */
          readonly env?: string
          /** The file it is given in. */
          readonly file?: string
          /** Of the file; 0400 unless said. */
          readonly mode?: string
          /** This one for ever; the newest at launch unless said. */
          readonly version?: number
          /** When there is a newer version: nothing (unless said), a restart, or a signal after the file was changed. */
          readonly onRotate?: 'none' | 'restart' | 'SIGHUP' | 'SIGINT' | 'SIGQUIT' | 'SIGUSR1' | 'SIGUSR2' | 'SIGWINCH'
        }[]
        /** A secret of type registry, with which its image is pulled. */
        readonly pullSecret?: string
        readonly ports?: readonly {
          readonly name: string
          readonly protocol?: 'tcp' | 'udp'
          /** Left out, one is picked and given as `PORT_<NAME>`. */
          readonly port?: number
          readonly public?: boolean
        }[]
        /** They live and die with the instance. */
        readonly volumes?: readonly {
          readonly name: string
          readonly path: string
          readonly readOnly?: boolean
        }[]
        readonly resources?: {
          readonly cpuMillis?: number
          readonly memoryMiB?: number
          readonly gpus?: number
        }
        readonly healthChecks?: readonly {
          readonly type: 'http' | 'tcp' | 'grpc' | 'command'
          /** The name of a port of the service; for http, tcp and grpc. */
          readonly port?: string
          /** For http; `/` unless said. */
          readonly path?: string
          /** For grpc: the name of the health service. */
          readonly service?: string
          readonly command?: readonly string[]
          /** 10 unless said. */
          readonly intervalSeconds?: number
          /** 5 unless said. */
          readonly timeoutSeconds?: number
          /** This many in a row make it healthy; 1 unless said. */
          readonly healthyThreshold?: number
          /** This many in a row make it unhealthy; 3 unless said. */
          readonly unhealthyThreshold?: number
        }[]
        readonly dependsOn?: readonly string[]
        /** always unless said. */
        readonly restart?: 'always' | 'onFailure' | 'never'
        /** 10 unless said. */
        readonly stopGraceSeconds?: number
        readonly user?: string
        readonly readOnlyRoot?: boolean
      }
    }
  }
}

export type DeadLetterMetadata = {
  readonly id: string
  readonly displayName?: string
  readonly organizationId?: string
  readonly projectId?: string
  readonly labels: {
    readonly [name: string]: string
  }
  readonly generation: number
  readonly revision: number
  readonly createdAt: string
  readonly createdBy?: string
  readonly deletedAt: string | null
}

export type DeadLetterObject = {
  readonly kind: string
  readonly id: string
  readonly name?: string
  readonly labels?: {
    readonly [name: string]: string
  }
  /** The phase or state it was in, or came to, where it has one. */
  readonly phase?: string
}

export type FlavorMetadata = {
  /** What a request says to mean it. */
  readonly id: string
  readonly name: string
  readonly displayName?: string
  /** Whose it is, if it is not for everybody. */
  readonly projectId?: string
  readonly labels: {
    readonly [name: string]: string
  }
}

export type GrantWriteMetadata = {
  readonly labels?: {
    readonly [name: string]: string
  }
  readonly [name: string]: unknown
}

export type ImageMetadata = {
  readonly id: string
  readonly name: string
  readonly displayName?: string
  readonly organizationId?: string
  readonly projectId?: string
  readonly labels: {
    readonly [name: string]: string
  }
  readonly generation: number
  readonly revision: number
  readonly createdAt: string
  readonly createdBy?: string
  readonly deletedAt: string | null
}

export type ImageSource = {
  /** Where it is fetched from, over http or https. Whoever may read the image may read this: no password belongs in it. */
  readonly url: string
  /** Of all its bytes, in lower-case hex. */
  readonly sha256?: string
  /** In bytes. */
  readonly sizeBytes?: number
}

export type ImageSource2 = {
  /** What will be sent with `PUT …/content`. */
  readonly upload: {
    /** In bytes. */
    readonly sizeBytes: number
    /** Of all its bytes, in lower-case hex. */
    readonly sha256: string
  }
}

export type Conditions = {
  readonly type: string
  readonly status: 'true' | 'false' | 'unknown'
  readonly reason: string
  readonly message: string
  readonly since: string
}

export type ImageWriteSpec = {
  /** By id or by name, and read back as the id; unless said, the default of the project. */
  readonly region?: string
  /** What it runs on; unless said, anything. */
  readonly architecture?: 'x86_64' | 'aarch64'
  readonly source: ImageSource | ImageSource2
}

export type ImageWriteMetadata = {
  readonly name: string
  readonly displayName?: string
  readonly labels?: {
    readonly [name: string]: string
  }
  readonly id?: unknown
  readonly organizationId?: unknown
  readonly projectId?: unknown
  readonly generation?: unknown
  readonly revision?: unknown
  readonly createdAt?: unknown
  readonly createdBy?: unknown
  readonly deletedAt?: unknown
}

export type InstanceSpec = {
  /** Where it runs, by id or name. Unless said it follows from the network, or is the default. */
  readonly region?: string
  /** What it is made of: exactly one of these. */
  readonly source: AdoptSource
  /** What can be said of it without changing its source. */
  readonly variables?: readonly Variables[]
  /** The values of variables, by name. */
  readonly variableValues?: VariableValues
  /** What is wanted, not a command. */
  readonly power?: 'on' | 'off'
  /** When what it ran on, or its disk, is gone. `recreate` makes a new one, whose disk is blank. */
  readonly onServerLoss?: 'fail' | 'recreate'
  /** When it died and is still there. */
  readonly onCrash?: 'restart' | 'stop'
  /** When its power was changed behind our back. What would destroy something is only ever reported. */
  readonly drift?: 'report' | 'repair'
  /** It is deleted by itself this long after it was created. */
  readonly ttl?: string
  /** It is stopped by itself so long after it was last started or used, to the minute: by a command that was run inside, or at its console. */
  readonly idleStop?: string
  readonly deletionProtection?: boolean
  /** It is only looked at, and nothing is done. Deletion ignores it. */
  readonly paused?: boolean
}

export type InstanceStatus = {
  readonly phase: 'pending' | 'provisioning' | 'starting' | 'running' | 'stopping' | 'stopped' | 'failed' | 'destroying' | 'destroyed'
  readonly phaseSince: string
  readonly ready: boolean
  readonly observedGeneration: number
  readonly suspended: {
    readonly since: string
    readonly reason: string
    readonly by?: string
  } | null
  readonly power: 'on' | 'off' | 'unknown'
  readonly health: 'healthy' | 'degraded' | 'unhealthy' | 'unknown'
  readonly addresses: {
    readonly private: readonly string[]
    readonly public: readonly string[]
    readonly mac?: string
  }
  readonly endpoints: readonly {
    readonly service?: string
    readonly name: string
    readonly protocol: string
    readonly host: string
    readonly port: number
    readonly url?: string
    readonly public: boolean
  }[]
  readonly services: {
    readonly [name: string]: {
      readonly state: string
      readonly ready: boolean
      readonly restarts: number
      readonly exitCode?: number
      readonly reason?: string
    }
  }
  readonly release: string | null
  readonly replica: number | null
  readonly operation: {
    readonly id: string
    readonly type: string
    readonly step?: string
    readonly startedAt: string
  } | null
  readonly conditions: readonly Conditions[]
}

export type InvitationSpec = {
  readonly email: string
  readonly role?: string
  readonly user?: string
  readonly expiresAt: string
}

export type NetworkStatus = {
  /** `failed`: it cannot be made as it is asked for, and the reason says why. `lost`: it was there, and is gone without our doing. */
  readonly state: 'pending' | 'ready' | 'failed' | 'lost' | 'deleting'
  /** Why it is not ready, in a sentence. */
  readonly reason?: string
  /** The newest spec that the region has. */
  readonly observedGeneration?: number
  readonly conditions?: readonly Conditions[]
}

export type NetworkWriteSpec = {
  /** By id or by name, and read back as the id; unless said, the default of the project. */
  readonly region?: string
  /** The IPv4 addresses that it has, in their one form: `10.20.0.0/24`. From /8 to /29, and none that another network of the project has in the same region. */
  readonly cidr: string
}

export type NewTokenSpec = {
  readonly principal: string
  readonly expiresAt: string | null
  readonly scope?: {
    readonly permissions?: readonly ('organizations:read' | 'organizations:create' | 'organizations:update' | 'organizations:delete' | 'projects:read' | 'projects:create' | 'projects:update' | 'projects:delete' | 'users:read' | 'users:create' | 'users:update' | 'users:delete' | 'service-accounts:read' | 'service-accounts:create' | 'service-accounts:update' | 'service-accounts:delete' | 'tokens:read' | 'tokens:create' | 'tokens:delete' | 'roles:read' | 'roles:create' | 'roles:update' | 'roles:delete' | 'grants:read' | 'grants:create' | 'grants:delete' | 'quotas:read' | 'quotas:update' | 'quotas:limit' | 'regions:read' | 'regions:create' | 'regions:update' | 'regions:delete' | 'networks:read' | 'networks:create' | 'networks:update' | 'networks:delete' | 'security-groups:read' | 'security-groups:create' | 'security-groups:update' | 'security-groups:delete' | 'ssh-authorities:read' | 'ssh-authorities:create' | 'ssh-authorities:update' | 'ssh-authorities:delete' | 'images:read' | 'images:create' | 'images:update' | 'images:delete' | 'secrets:read' | 'secrets:create' | 'secrets:update' | 'secrets:delete' | 'secrets:reveal' | 'operations:read' | 'instances:read' | 'instances:create' | 'instances:update' | 'instances:delete' | 'instances:power' | 'instances:logs' | 'instances:adopt' | 'instances:exec' | 'instances:console' | 'instances:credentials' | 'instances:snapshot' | 'instances:suspend' | 'webhooks:read' | 'webhooks:create' | 'webhooks:update' | 'webhooks:delete' | 'audit:read' | 'system:read' | 'system:update')[]
    readonly projectId?: string
  }
}

export type NewWebhookSpec = {
  /** Where events are sent, by POST. http or https. */
  readonly url: string
  /** Which events; all of them unless said. */
  readonly events?: Events
  /** While false nothing is sent. What happens meanwhile is sent later. */
  readonly active?: boolean
}

/** Which events; all of them unless said. */
export type Events = {
  /** Kind and reason, each of which may be `*`: `instance.Failed`, `instance.*`, `*.Created`. */
  readonly types?: readonly string[]
  /** Of objects of these kinds: `instance`, `network`. */
  readonly kinds?: readonly string[]
  /** Of objects that have all of these labels. */
  readonly labels?: {
    readonly [name: string]: string
  }
  /** Of objects that were then in one of these phases, or states: `failed`. */
  readonly phases?: readonly string[]
}

export type NewWebhookStatus = {
  /** `failing`: nothing is taken at present. `paused`: it gave up by itself, and waits to be resumed. */
  readonly state: 'active' | 'failing' | 'paused' | 'inactive'
  readonly failingSince?: string
  /** Made in vain since then. */
  readonly attempts?: number
  readonly nextAttemptAt?: string
  /** Objects whose events wait because one of them was not taken. */
  readonly waitingObjects: number
  readonly secretSince: string
  /** Until then the secret before it signs too. */
  readonly previousSecretUntil?: string
  readonly conditions?: readonly Conditions[]
}

export type OrganizationStatus = {
  readonly conditions?: readonly Conditions[]
}

/** By name: remarks on flavors of the backend; further names for them (`backend`); or, where instances are made of services, sizes of your own (`cpuMillis` and `memoryMiB`). */
export type Flavors = {
  readonly [name: string]: {
    readonly displayName?: string
    readonly labels?: {
      readonly [name: string]: string
    }
    /** Nobody is offered it. */
    readonly hidden?: boolean
    /** Still there; new things should use another. */
    readonly deprecated?: boolean
    /** The flavor of the backend that it stands for, whose size it has. */
    readonly backend?: string
    readonly cpuMillis?: number
    readonly memoryMiB?: number
    readonly diskGiB?: number
    readonly gpu?: {
      readonly vendor: string
      readonly model: string
      readonly count: number
    }
  }
}

/** Remarks on images of the backend, by their name or id. */
export type Images = {
  readonly [name: string]: {
    readonly displayName?: string
    readonly labels?: {
      readonly [name: string]: string
    }
    /** Nobody is offered it. */
    readonly hidden?: boolean
    /** Still there; new things should use another. */
    readonly deprecated?: boolean
  }
}

export type RegionWriteSpec = {
  /** The kind of provider. It never changes. */
  readonly provider: string
  /** What the provider asks for. */
  readonly configuration?: {
    readonly [name: string]: unknown
  }
  /** What opens the backend. Sealed, and never shown again; a change replaces all of it. */
  readonly credentials?: {
    readonly [name: string]: unknown
  }
  readonly mode?: 'active' | 'draining' | 'maintenance'
  /** Who may use it, by id or by name; absent: every organization. */
  readonly organizations?: readonly string[]
  /** By name: remarks on flavors of the backend; further names for them (`backend`); or, where instances are made of services, sizes of your own (`cpuMillis` and `memoryMiB`). */
  readonly flavors?: Flavors
  /** Remarks on images of the backend, by their name or id. */
  readonly images?: Images
}

export type SecretWriteSpec = {
  /** `registry`: the password with which images are pulled. It never changes. */
  readonly type?: 'opaque' | 'registry'
  /** Of one of type `registry`; the value is the password. */
  readonly registry?: {
    /** As image names begin: `registry.example.com:5000`. */
    readonly server: string
    readonly username: string
  }
  /** How many versions are kept; older ones go with the next write, unless something uses them. */
  readonly keepVersions?: number
  /** What is kept secret, as text. */
  readonly value?: string
  /** In its place, where it is not text. */
  readonly valueBase64?: string
}

export type SecurityGroupSpec = {
  /** By id or by name; read back as the id. */
  readonly network: string
  readonly rules: readonly {
    readonly direction: 'ingress' | 'egress'
    readonly protocol: 'tcp' | 'udp' | 'icmp' | 'any'
    /** One port; with neither `port` nor `ports`, every port. */
    readonly port?: number
    /** From the first to the last. */
    readonly ports?: {
      readonly from: number
      readonly to: number
    }
    /** The other side, in its one form: `0.0.0.0/0` is everybody. */
    readonly cidr: string
  }[]
}

export type SshAuthoritySpec = {
  /** Of an authority somebody else keeps, as OpenSSH writes it: we hold nothing that could sign. */
  readonly publicKey?: string
  /** True instead of a key: we make the pair, keep the private key sealed, and sign. */
  readonly managed?: boolean
}

export type WebhookWriteSpec = {
  /** Where events are sent, by POST. http or https. */
  readonly url: string
  /** Which events; all of them unless said. */
  readonly events?: Events
  /** While false nothing is sent. What happens meanwhile is sent later. */
  readonly active?: boolean
  /** What signs. Made by us, and shown once, unless given. */
  readonly secret?: string
}

export type Adopt = {
  /** Where it is, by id or name. */
  readonly region: string
  /** What the backend calls it, or the id of the orphan that it was reported as. */
  readonly backendId: string
  readonly name?: string
  readonly displayName?: string
  readonly labels?: {
    readonly [name: string]: string
  }
  /** An instance that has lost what it ran on, and is to have this instead of becoming a new one. */
  readonly instance?: string
  /** What it is made of, where the region cannot tell; and what is wanted of it. */
  readonly spec?: {
    /** What can be said of it without changing its source. */
    readonly variables?: readonly Variables[]
    /** The values of variables, by name. */
    readonly variableValues?: VariableValues
    /** What is wanted, not a command. */
    readonly power?: 'on' | 'off'
    /** When what it ran on, or its disk, is gone. `recreate` makes a new one, whose disk is blank. */
    readonly onServerLoss?: 'fail' | 'recreate'
    /** When it died and is still there. */
    readonly onCrash?: 'restart' | 'stop'
    /** When its power was changed behind our back. What would destroy something is only ever reported. */
    readonly drift?: 'report' | 'repair'
    /** It is deleted by itself this long after it was created. */
    readonly ttl?: string
    /** It is stopped by itself so long after it was last started or used, to the minute: by a command that was run inside, or at its console. */
    readonly idleStop?: string
    readonly deletionProtection?: boolean
    /** It is only looked at, and nothing is done. Deletion ignores it. */
    readonly paused?: boolean
    /** What it is made of: exactly one of these. */
    readonly source?: AdoptSource
  }
  /** Only say what would become of it. */
  readonly plan?: boolean
}

export type AdoptionPlan = {
  readonly backendId: string
  /** What it becomes. */
  readonly instance: {
    /** Of the one that is there already. */
    readonly id?: string
    readonly name: string
    readonly labels: {
      readonly [name: string]: string
    }
    readonly spec: unknown
  }
  /** What it is charged from then on. */
  readonly charges: {
    readonly [name: string]: number
  }
  /** Limits that are in the way. */
  readonly blocking: readonly {
    readonly kind: string
    readonly limit: number
    readonly used: number
    readonly asked: number
  }[]
  /** What is written on it. */
  readonly tags: {
    readonly [name: string]: string
  }
  /** What is not as it is wanted, and is made so after it was adopted. */
  readonly differences: readonly {
    readonly field: 'power'
    readonly wanted: unknown
    readonly found: unknown
  }[]
}

export type Amounts = {
  /** projects of the organization; a limit on a project means nothing */
  readonly projects?: number
  /** instances, whatever their power, from create until they are gone */
  readonly instances?: number
  /** thousandths of a CPU */
  readonly cpuMillis?: number
  /** memory, in MiB */
  readonly memoryMiB?: number
  /** disks that live and die with an instance, in GiB */
  readonly diskGiB?: number
  /** GPUs */
  readonly gpus?: number
  /** public addresses */
  readonly publicIps?: number
  /** networks */
  readonly networks?: number
  /** images that the project owns: uploads and snapshots */
  readonly images?: number
  /** volumes, in GiB */
  readonly volumesGiB?: number
  /** fleets */
  readonly fleets?: number
  /** workloads */
  readonly workloads?: number
}

export type AuditEntry = {
  readonly id: string
  readonly at: string
  readonly actor: {
    readonly id: string
    readonly type: string
    readonly name: string
    /** The token or session it came with. */
    readonly credential?: string
  }
  /** The id of who asked for it, when a controller does it. */
  readonly onBehalfOf?: string
  /** `noun:verb` */
  readonly action: string
  /** The route, or the command. */
  readonly request: string
  readonly organizationId?: string
  readonly projectId?: string
  readonly object?: {
    readonly kind: string
    readonly id: string
    readonly name?: string
  }
  readonly changed?: readonly {
    readonly kind: string
    readonly id: string
    readonly name?: string
    readonly op: 'create' | 'update' | 'delete'
    readonly changes: readonly {
      /** A JSON pointer. */
      readonly path: string
      /** Secrets are replaced, and what is long is cut. */
      readonly from?: unknown
      /** Secrets are replaced, and what is long is cut. */
      readonly to?: unknown
    }[]
  }[]
  readonly result: 'done' | 'denied'
  /** What it was refused with. */
  readonly code?: string
  /** How a terminal or another stream ended: why, after how many seconds, with which exit code. */
  readonly ended?: {
    readonly [name: string]: string | number
  }
  readonly from: {
    readonly address: string
    readonly userAgent?: string
  }
  readonly traceId?: string
  /** How many like it this one stands for. */
  readonly count: number
}

export type AuditList = {
  readonly items: readonly AuditEntry[]
  readonly nextCursor: string | null
  readonly total: number
  /** Whether there are just `total`; counted are 1000 at most. */
  readonly totalIsExact: boolean
}

export type BuiltInRole = {
  readonly name: string
  readonly purpose: string
  readonly givenOn: readonly string[]
  readonly permissions: readonly string[]
}

export type Console = {
  /** How much of what was printed before to begin with. */
  readonly scrollbackBytes?: number
}

export type DeadLetter = {
  readonly metadata: DeadLetterMetadata
  readonly spec: {
    /** Its id: say it to have it sent again. */
    readonly event: string
    readonly reason: string
    readonly object: DeadLetterObject
  }
  readonly status: {
    readonly triedAt?: string
  }
}

export type DeadLetterList = {
  readonly items: readonly DeadLetter[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type Delivery = {
  /** Grows with time; of no other meaning. */
  readonly id: string
  readonly at: string
  /** The `webhook-id` it was sent with: the same each time. */
  readonly messageId: string
  /** `dead`: it failed and is not tried again by itself; see the dead letters. */
  readonly outcome: 'delivered' | 'failed' | 'dead'
  readonly cause: 'event' | 'redelivery' | 'test'
  /** Of the event: `instance.Failed`. */
  readonly type: string
  /** Its id. */
  readonly event: string | null
  readonly object: DeadLetterObject | null
  /** Null: there was no answer. */
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
  /** How the answer begins, without what looks like a credential. */
  readonly excerpt: string | null
}

export type DeliveryList = {
  readonly items: readonly Delivery[]
  readonly nextCursor: string | null
  readonly total: number
  /** Whether there are just `total`; counted are 1000 at most. */
  readonly totalIsExact: boolean
}

export type DifferingInstance = {
  readonly instance: {
    readonly id: string
    readonly name: string
    readonly organizationId: string
    readonly projectId: string
  }
  /** What the backend calls, or called, what it runs on. */
  readonly backendId?: string
  readonly phase: 'pending' | 'provisioning' | 'starting' | 'running' | 'stopping' | 'stopped' | 'failed' | 'destroying' | 'destroyed'
  readonly differences: readonly {
    /** `server`: what it ran on is gone. */
    readonly field: 'server' | 'power' | 'flavor' | 'image' | 'labels' | 'addresses'
    /** As the store has made it, in the words of the backend. */
    readonly wanted: unknown
    /** As it is. */
    readonly found: unknown
  }[]
}

export type DifferingInstanceList = {
  readonly items: readonly DifferingInstance[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type Event = {
  readonly id: string
  readonly at: string
  readonly level: 'info' | 'warning'
  /** One CamelCase word that a program can compare. */
  readonly reason: string
  /** A sentence for a person. */
  readonly message: string
  readonly object: DeadLetterObject
  /** Where in a trace it happened (W3C trace context), if that is recorded. */
  readonly traceparent?: string
}

export type EventList = {
  readonly items: readonly Event[]
  readonly nextCursor: string | null
  readonly total: number
  /** Whether there are just `total`; counted are 1000 at most. */
  readonly totalIsExact: boolean
}

export type Exec = {
  /** Where; in the main one unless said. */
  readonly service?: string
  /** The program and its arguments. No shell is between. */
  readonly command: readonly string[]
  /** With a terminal; everything it prints is then stdout. */
  readonly tty?: boolean
  /** Of the terminal; 80 unless said. */
  readonly columns?: number
  /** Of the terminal; 24 unless said. */
  readonly rows?: number
  /** Besides what the service has. Kept sealed until it is opened. */
  readonly env?: {
    readonly [name: string]: string
  }
  readonly user?: string
  readonly directory?: string
  /** False: the command sees the end of its input at once. True unless said. */
  readonly stdin?: boolean
}

export type Flavor = {
  readonly metadata: FlavorMetadata
  readonly spec: {
    readonly architecture: string | null
    readonly virtualization: string | null
    readonly cpuMillis: number
    readonly memoryMiB: number
    readonly diskGiB: number | null
    readonly gpu: {
      readonly vendor: string
      readonly model: string
      readonly count: number
    } | null
  }
  readonly status: {
    readonly deprecated: boolean
  }
}

export type FlavorList = {
  readonly items: readonly Flavor[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
  /** When the backend was asked. */
  readonly asOf: string
}

export type Grant = {
  readonly metadata: DeadLetterMetadata
  readonly spec: {
    readonly principal: string
    /** The name of a built-in role, or the id of one of the organization. */
    readonly role: string
  }
  readonly status: Record<string, never>
}

export type GrantList = {
  readonly items: readonly Grant[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type GrantWrite = {
  /** Id, name of a service account, or email. */
  readonly principal: string
  /** Name of a role, or its id. */
  readonly role: string
  readonly labels?: {
    readonly [name: string]: string
  }
} | {
  readonly kind?: 'grant'
  readonly metadata?: GrantWriteMetadata
  readonly spec: {
    /** Id, name of a service account, or email. */
    readonly principal: string
    /** Name of a role, or its id. */
    readonly role: string
  }
  readonly status?: unknown
}

export type Image = {
  readonly metadata: ImageMetadata
  readonly spec: {
    /** By id or by name, and read back as the id; unless said, the default of the project. */
    readonly region: string
    /** What it runs on; unless said, anything. */
    readonly architecture?: 'x86_64' | 'aarch64'
    readonly source: ImageSource | ImageSource2 | {
      /** It was taken of an instance, with `POST …/instances/{instance}/snapshot`. */
      readonly snapshot: {
        readonly instance: {
          readonly id: string
          readonly name: string
        }
        /** Of what it was taken of: a smaller one does not hold it. */
        readonly diskGiB?: number
      }
    }
  }
  readonly status: {
    /** `pending`: it waits for its content, or for its turn. `transferring`: its content is on the way here, or to the region. `failed`: it cannot be had, and the reason says why. `lost`: it was there, and is gone without our doing. */
    readonly state: 'pending' | 'transferring' | 'ready' | 'failed' | 'lost' | 'deleting'
    /** Why it is not ready, in a sentence. */
    readonly reason?: string
    /** The newest spec that the region has. */
    readonly observedGeneration?: number
    readonly conditions?: readonly Conditions[]
    /** What it holds, measured as it came. */
    readonly content?: {
      readonly sizeBytes: number
      readonly sha256: string
    }
    /** How much has come from its source, told every few seconds; the whole, where the source says it. */
    readonly progress?: {
      readonly transferredBytes: number
      readonly totalBytes?: number
    }
  }
}

export type ImageList = {
  readonly items: readonly Image[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type ImageWrite = {
  readonly name: string
  readonly displayName?: string
  readonly labels?: {
    readonly [name: string]: string
  }
  readonly spec: ImageWriteSpec
} | {
  readonly kind?: 'image'
  readonly metadata: ImageWriteMetadata
  readonly spec: ImageWriteSpec
  readonly status?: unknown
}

export type Instance = {
  readonly metadata: ImageMetadata
  readonly spec: InstanceSpec
  readonly status: InstanceStatus
}

export type InstanceAccepted = {
  readonly metadata: ImageMetadata
  readonly spec: InstanceSpec
  readonly status: InstanceStatus
  /** What is now done; absent for nothing. */
  readonly operation?: {
    readonly id: string
    readonly type: string
  }
}

export type InstanceList = {
  readonly items: readonly Instance[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type InstanceWrite = {
  readonly name: string
  readonly displayName?: string
  readonly labels?: {
    readonly [name: string]: string
  }
  readonly spec: InstanceSpec
} | {
  readonly kind?: 'instance'
  readonly metadata: ImageWriteMetadata
  readonly spec: InstanceSpec
  readonly status?: unknown
}

export type Invitation = {
  readonly metadata: DeadLetterMetadata
  readonly spec: InvitationSpec
  readonly status: Record<string, never>
}

export type InvitationList = {
  readonly items: readonly Invitation[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type Limits = {
  readonly limits: {
    /** projects of the organization; a limit on a project means nothing */
    readonly projects?: number | null
    /** instances, whatever their power, from create until they are gone */
    readonly instances?: number | null
    /** thousandths of a CPU */
    readonly cpuMillis?: number | null
    /** memory, in MiB */
    readonly memoryMiB?: number | null
    /** disks that live and die with an instance, in GiB */
    readonly diskGiB?: number | null
    /** GPUs */
    readonly gpus?: number | null
    /** public addresses */
    readonly publicIps?: number | null
    /** networks */
    readonly networks?: number | null
    /** images that the project owns: uploads and snapshots */
    readonly images?: number | null
    /** volumes, in GiB */
    readonly volumesGiB?: number | null
    /** fleets */
    readonly fleets?: number | null
    /** workloads */
    readonly workloads?: number | null
  }
}

export type LogEnd = {
  readonly end: {
    readonly reason: 'finished' | 'gone' | 'rights_withdrawn' | 'slow_reader' | 'shutting_down' | 'unavailable' | 'failed'
    readonly detail: string
  }
}

export type LogLine = {
  readonly ts: string
  /** Empty for a machine. */
  readonly service: string
  readonly stream: 'stdout' | 'stderr'
  readonly line: string
  /** The line goes on in the next one of the same service and stream. */
  readonly partial?: boolean
  /** Lines before this one are no longer kept. */
  readonly gap?: boolean
  /** Where it is, for `after`. Server-sent events have it as their id. */
  readonly cursor?: string
}

export type LogRequest = {
  /** Which service; the main one unless said, `*` for all of them. */
  readonly service?: string
  /** Goes on as lines are printed, until the instance is gone. */
  readonly follow?: boolean
  /** Only this many of the last lines, then what follows. */
  readonly tail?: number
  /** Not older than this: `2026-11-15T12:00:00Z`, or `10m` for a span. */
  readonly since?: string
  /** The cursor of the last line that was read: only what comes after it. Tail and since then do not count. */
  readonly after?: string
}

export type MergePatch = {
  /** Names never change: any other than the present one is refused. */
  readonly name?: string
  readonly displayName?: string | null
  readonly labels?: {
    readonly [name: string]: string | null
  } | null
  readonly kind?: unknown
  readonly metadata?: {
    /** Names never change: any other than the present one is refused. */
    readonly name?: string
    readonly displayName?: string | null
    readonly labels?: {
      readonly [name: string]: string | null
    } | null
    readonly id?: unknown
    readonly organizationId?: unknown
    readonly projectId?: unknown
    readonly generation?: unknown
    readonly revision?: unknown
    readonly createdAt?: unknown
    readonly createdBy?: unknown
    readonly deletedAt?: unknown
  }
  /** What changes of the spec; null removes a field. */
  readonly spec?: {
    readonly [name: string]: unknown
  }
  readonly status?: unknown
}

export type MetricsHistory = {
  readonly from: string
  readonly to: string
  readonly stepSeconds: number
  readonly series: readonly {
    readonly name: string
    /** Absent: of the whole instance. */
    readonly service?: string
    /** Moments in milliseconds since the epoch, each with the mean of the step that begins there; null: not known. */
    readonly points: readonly (readonly (number | null)[])[]
  }[]
}

export type Network = {
  readonly metadata: ImageMetadata
  readonly spec: {
    /** By id or by name, and read back as the id; unless said, the default of the project. */
    readonly region: string
    /** The IPv4 addresses that it has, in their one form: `10.20.0.0/24`. From /8 to /29, and none that another network of the project has in the same region. */
    readonly cidr: string
  }
  readonly status: NetworkStatus
}

export type NetworkList = {
  readonly items: readonly Network[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type NetworkWrite = {
  readonly name: string
  readonly displayName?: string
  readonly labels?: {
    readonly [name: string]: string
  }
  readonly spec: NetworkWriteSpec
} | {
  readonly kind?: 'network'
  readonly metadata: ImageWriteMetadata
  readonly spec: NetworkWriteSpec
  readonly status?: unknown
}

export type NewInvitation = {
  /** Shown once. Give it to the invited, and to nobody else. */
  readonly token: string
  readonly metadata: DeadLetterMetadata
  readonly spec: InvitationSpec
  readonly status: Record<string, never>
}

export type NewSession = {
  /** Send it as stead-csrf with each change. */
  readonly csrfToken: string
  readonly metadata: DeadLetterMetadata
  readonly spec: {
    readonly principal: string
    readonly expiresAt: string
    readonly address: string
  }
  readonly status: Record<string, never>
}

export type NewToken = {
  /** Shown once. */
  readonly token: string
  readonly metadata: DeadLetterMetadata
  readonly spec: NewTokenSpec
  readonly status: {
    readonly lastUsedAt?: string | null
  }
}

export type NewWebhook = {
  /** What signs, if we made it. Shown once. */
  readonly secret?: string
  readonly metadata: ImageMetadata
  readonly spec: NewWebhookSpec
  readonly status: NewWebhookStatus
}

export type Operation = {
  readonly id: string
  readonly type: string
  readonly subject: {
    readonly kind: string
    readonly id: string
    readonly name?: string
  }
  readonly projectId?: string
  readonly organizationId?: string
  readonly state: 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'superseded'
  readonly steps: readonly {
    readonly name: string
    readonly state: 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'superseded'
    readonly message?: string
    readonly startedAt?: string
    readonly endedAt?: string
  }[]
  readonly error?: {
    readonly code: string
    readonly message: string
  }
  readonly requestedBy?: string
  readonly createdAt: string
  readonly endedAt?: string
  readonly traceId?: string
}

export type OperationList = {
  readonly items: readonly Operation[]
  readonly nextCursor: string | null
  readonly total: number
  /** Whether there are just `total`; counted are 1000 at most. */
  readonly totalIsExact: boolean
}

export type Organization = {
  readonly metadata: ImageMetadata
  readonly spec: Record<string, never>
  readonly status: OrganizationStatus
}

export type OrganizationGrantWrite = {
  /** Id, name of a service account, or email. */
  readonly principal: string
  /** Name of a role, or its id. */
  readonly role: string
  /** Id or name of a project: the role is given there and not on the whole organization. */
  readonly project?: string
  readonly labels?: {
    readonly [name: string]: string
  }
} | {
  readonly kind?: 'grant'
  readonly metadata?: GrantWriteMetadata
  readonly spec: {
    /** Id, name of a service account, or email. */
    readonly principal: string
    /** Name of a role, or its id. */
    readonly role: string
    /** Id or name of a project: the role is given there and not on the whole organization. */
    readonly project?: string
  }
  readonly status?: unknown
}

export type OrganizationList = {
  readonly items: readonly Organization[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type OrganizationWrite = {
  readonly name: string
  readonly displayName?: string
  readonly labels?: {
    readonly [name: string]: string
  }
  readonly spec?: Record<string, never>
} | {
  readonly kind?: 'organization'
  readonly metadata: ImageWriteMetadata
  readonly spec?: Record<string, never>
  readonly status?: unknown
}

export type Orphan = {
  readonly metadata: DeadLetterMetadata
  readonly spec: {
    readonly region: string
    /** What the backend calls it. */
    readonly backendId: string
    /** The server that its tag names. */
    readonly serverId?: string
    /** The instance that its tag names, whether that is there or not. */
    readonly instanceId?: string
    /** The project of that. */
    readonly projectId?: string
    /** `unknown`: nothing here is known of its server. `duplicate`: its server has another. */
    readonly reason: 'unknown' | 'duplicate'
    /** Who has said that it is to go; `sweep` where the store itself knew that. */
    readonly reap?: {
      readonly by: string
    }
  }
  readonly status: {
    /** As it was when it was found. */
    readonly state: 'pending' | 'running' | 'stopping' | 'stopped' | 'terminating' | 'terminated' | 'unknown'
    readonly launchedAt?: string
  }
}

export type OrphanList = {
  readonly items: readonly Orphan[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type Plan = {
  readonly effect: 'inPlace' | 'restart' | 'rebuild' | 'replace'
  readonly changes: readonly {
    readonly path: string
    readonly from?: unknown
    readonly to?: unknown
    readonly effect: 'inPlace' | 'restart' | 'rebuild' | 'replace'
  }[]
  readonly loses: readonly ('disk' | 'addresses' | 'localState')[]
  /** What would be lost otherwise. */
  readonly keeps: readonly ('disk' | 'addresses' | 'localState')[]
  /** Whether it does not serve for a while, though it does now. */
  readonly interrupts: boolean
}

/** With [secret] in place of everything secret. */
export type Preview = {
  readonly name: string
  readonly power: 'on' | 'off'
  /** What is launched, where that is a machine. */
  readonly machine?: {
    readonly userData?: string
    readonly [name: string]: unknown
  }
  /** What is launched, by service. */
  readonly services?: {
    readonly [name: string]: {
      readonly [name: string]: unknown
    }
  }
}

/** RFC 9457. Programs compare `code`. Some codes add members of their own. */
export type Problem = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: 'invalid_request' | 'unauthenticated' | 'forbidden' | 'quota_exceeded' | 'not_found' | 'wait_timeout' | 'name_taken' | 'invalid_state' | 'not_ready' | 'replacement_required' | 'operation_in_progress' | 'ambiguous_name' | 'conflict' | 'in_use' | 'gone' | 'stale' | 'too_large' | 'immutable' | 'invalid' | 'idempotency_mismatch' | 'rate_limited' | 'internal' | 'unsupported' | 'unavailable'
  readonly detail: string
  /** What to do next. */
  readonly suggestion: string
  /** Each field that is wrong: by JSON pointer into the body, or `?query`, `:path`, or a header by name. */
  readonly errors?: readonly {
    readonly path: string
    readonly message: string
  }[]
  readonly traceId: string
}

export type Project = {
  readonly metadata: ImageMetadata
  readonly spec: {
    /** Which region is meant where none is named; the platform’s default unless said. */
    readonly defaultRegion?: string
  }
  readonly status: OrganizationStatus
}

export type ProjectList = {
  readonly items: readonly Project[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type ProjectWrite = {
  readonly name: string
  readonly displayName?: string
  readonly labels?: {
    readonly [name: string]: string
  }
  readonly spec?: {
    /** Which region is meant where none is named; the platform’s default unless said. */
    readonly defaultRegion?: string
  }
} | {
  readonly kind?: 'project'
  readonly metadata: ImageWriteMetadata
  readonly spec?: {
    /** Which region is meant where none is named; the platform’s default unless said. */
    readonly defaultRegion?: string
  }
  readonly status?: unknown
}

export type Quota = {
  readonly kind: 'projects' | 'instances' | 'cpuMillis' | 'memoryMiB' | 'diskGiB' | 'gpus' | 'publicIps' | 'networks' | 'images' | 'volumesGiB' | 'fleets' | 'workloads'
  /** The nearest limit that is set; null is unlimited. */
  readonly limit: number | null
  readonly used: number
  /** Where the limit is set. */
  readonly source: 'project' | 'organization' | null
  /** How much more there can be, by all limits. */
  readonly available: number | null
  readonly organization: {
    readonly limit: number | null
    readonly used: number
  }
}

export type QuotaCheck = {
  readonly fits: boolean
  readonly blocking: readonly {
    readonly kind: 'projects' | 'instances' | 'cpuMillis' | 'memoryMiB' | 'diskGiB' | 'gpus' | 'publicIps' | 'networks' | 'images' | 'volumesGiB' | 'fleets' | 'workloads'
    readonly level: 'project' | 'organization'
    readonly limit: number
    readonly used: number
    readonly asked: number
  }[]
}

export type QuotaList = {
  readonly quotas: readonly Quota[]
}

export type QuotaVerification = {
  readonly drift: readonly string[]
  readonly repaired: boolean
}

export type Redelivery = {
  /** The id of an event. */
  readonly event?: string
  readonly deadLetters?: true
}

export type Region = {
  readonly metadata: ImageMetadata
  readonly spec: {
    /** The kind of provider. It never changes. */
    readonly provider: string
    readonly mode: 'active' | 'draining' | 'maintenance'
    /** What the provider asks for. */
    readonly configuration?: {
      readonly [name: string]: unknown
    }
    readonly credentials?: SealedContent
    /** Who may use it, by id or by name; absent: every organization. */
    readonly organizations?: readonly string[]
    /** By name: remarks on flavors of the backend; further names for them (`backend`); or, where instances are made of services, sizes of your own (`cpuMillis` and `memoryMiB`). */
    readonly flavors?: Flavors
    /** Remarks on images of the backend, by their name or id. */
    readonly images?: Images
  }
  readonly status: {
    readonly health: 'healthy' | 'unhealthy' | 'unknown'
    /** Why it is not healthy, in words for whoever uses it. */
    readonly reason?: string
    /** When health last became what it is. */
    readonly since?: string
    /** What instances there can be made of. */
    readonly sources: readonly string[]
    /** What can be done with them, besides the least. */
    readonly capabilities: readonly string[]
    /** What one should know of it: how well it isolates, for one. */
    readonly notes: readonly string[]
    /** Whether it is meant where no region is named. */
    readonly isDefault: boolean
    /** When the node that answers last asked the backend itself; absent when another node does. */
    readonly checkedAt?: string
    /** How long the backend took then. */
    readonly latencyMs?: number
    /** How much there is and how much is taken, where the backend says so; for who may change regions. */
    readonly capacity?: {
      readonly servers: {
        readonly total: number
        readonly used: number
      } | null
      readonly cpuMillis: {
        readonly total: number
        readonly used: number
      } | null
      readonly memoryMiB: {
        readonly total: number
        readonly used: number
      } | null
    }
    readonly conditions?: readonly Conditions[]
  }
}

export type RegionImage = {
  readonly metadata: FlavorMetadata
  readonly spec: {
    readonly architecture: string | null
    readonly virtualization: string | null
    readonly sizeBytes: number | null
    readonly minDiskGiB: number | null
    readonly gpu: {
      readonly vendor: string
      readonly models: readonly string[]
    } | null
    readonly os: {
      readonly distribution: string
      readonly version: string
    } | null
  }
  readonly status: {
    readonly deprecated: boolean
  }
}

export type RegionImageList = {
  readonly items: readonly RegionImage[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
  /** When the backend was asked. */
  readonly asOf: string
}

export type RegionList = {
  readonly items: readonly Region[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type RegionWrite = {
  readonly name: string
  readonly displayName?: string
  readonly labels?: {
    readonly [name: string]: string
  }
  readonly spec: RegionWriteSpec
} | {
  readonly kind?: 'region'
  readonly metadata: ImageWriteMetadata
  readonly spec: RegionWriteSpec
  readonly status?: unknown
}

export type Restart = {
  /** Only this one; all of it unless said. */
  readonly service?: string
  /** Cuts the power instead of asking. */
  readonly hard?: boolean
}

export type Role = {
  readonly metadata: ImageMetadata
  readonly spec: {
    /** What it is for. */
    readonly purpose?: string
    readonly permissions: readonly ('organizations:read' | 'organizations:create' | 'organizations:update' | 'organizations:delete' | 'projects:read' | 'projects:create' | 'projects:update' | 'projects:delete' | 'users:read' | 'users:create' | 'users:update' | 'users:delete' | 'service-accounts:read' | 'service-accounts:create' | 'service-accounts:update' | 'service-accounts:delete' | 'tokens:read' | 'tokens:create' | 'tokens:delete' | 'roles:read' | 'roles:create' | 'roles:update' | 'roles:delete' | 'grants:read' | 'grants:create' | 'grants:delete' | 'quotas:read' | 'quotas:update' | 'quotas:limit' | 'regions:read' | 'regions:create' | 'regions:update' | 'regions:delete' | 'networks:read' | 'networks:create' | 'networks:update' | 'networks:delete' | 'security-groups:read' | 'security-groups:create' | 'security-groups:update' | 'security-groups:delete' | 'ssh-authorities:read' | 'ssh-authorities:create' | 'ssh-authorities:update' | 'ssh-authorities:delete' | 'images:read' | 'images:create' | 'images:update' | 'images:delete' | 'secrets:read' | 'secrets:create' | 'secrets:update' | 'secrets:delete' | 'secrets:reveal' | 'operations:read' | 'instances:read' | 'instances:create' | 'instances:update' | 'instances:delete' | 'instances:power' | 'instances:logs' | 'instances:adopt' | 'instances:exec' | 'instances:console' | 'instances:credentials' | 'instances:snapshot' | 'instances:suspend' | 'webhooks:read' | 'webhooks:create' | 'webhooks:update' | 'webhooks:delete' | 'audit:read' | 'system:read' | 'system:update')[]
  }
  readonly status: OrganizationStatus
}

export type RoleList = {
  readonly items: readonly Role[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type RoleWrite = {
  readonly name: string
  readonly displayName?: string
  readonly labels?: {
    readonly [name: string]: string
  }
  readonly spec: {
    /** What it is for. */
    readonly purpose?: string
    readonly permissions: readonly ('organizations:read' | 'organizations:create' | 'organizations:update' | 'organizations:delete' | 'projects:read' | 'projects:create' | 'projects:update' | 'projects:delete' | 'users:read' | 'users:create' | 'users:update' | 'users:delete' | 'service-accounts:read' | 'service-accounts:create' | 'service-accounts:update' | 'service-accounts:delete' | 'tokens:read' | 'tokens:create' | 'tokens:delete' | 'roles:read' | 'roles:create' | 'roles:update' | 'roles:delete' | 'grants:read' | 'grants:create' | 'grants:delete' | 'quotas:read' | 'quotas:update' | 'quotas:limit' | 'regions:read' | 'regions:create' | 'regions:update' | 'regions:delete' | 'networks:read' | 'networks:create' | 'networks:update' | 'networks:delete' | 'security-groups:read' | 'security-groups:create' | 'security-groups:update' | 'security-groups:delete' | 'ssh-authorities:read' | 'ssh-authorities:create' | 'ssh-authorities:update' | 'ssh-authorities:delete' | 'images:read' | 'images:create' | 'images:update' | 'images:delete' | 'secrets:read' | 'secrets:create' | 'secrets:update' | 'secrets:delete' | 'secrets:reveal' | 'operations:read' | 'instances:read' | 'instances:create' | 'instances:update' | 'instances:delete' | 'instances:power' | 'instances:logs' | 'instances:adopt' | 'instances:exec' | 'instances:console' | 'instances:credentials' | 'instances:snapshot' | 'instances:suspend' | 'webhooks:read' | 'webhooks:create' | 'webhooks:update' | 'webhooks:delete' | 'audit:read' | 'system:read' | 'system:update')[]
  }
} | {
  readonly kind?: 'role'
  readonly metadata: ImageWriteMetadata
  readonly spec: {
    /** What it is for. */
    readonly purpose?: string
    readonly permissions: readonly ('organizations:read' | 'organizations:create' | 'organizations:update' | 'organizations:delete' | 'projects:read' | 'projects:create' | 'projects:update' | 'projects:delete' | 'users:read' | 'users:create' | 'users:update' | 'users:delete' | 'service-accounts:read' | 'service-accounts:create' | 'service-accounts:update' | 'service-accounts:delete' | 'tokens:read' | 'tokens:create' | 'tokens:delete' | 'roles:read' | 'roles:create' | 'roles:update' | 'roles:delete' | 'grants:read' | 'grants:create' | 'grants:delete' | 'quotas:read' | 'quotas:update' | 'quotas:limit' | 'regions:read' | 'regions:create' | 'regions:update' | 'regions:delete' | 'networks:read' | 'networks:create' | 'networks:update' | 'networks:delete' | 'security-groups:read' | 'security-groups:create' | 'security-groups:update' | 'security-groups:delete' | 'ssh-authorities:read' | 'ssh-authorities:create' | 'ssh-authorities:update' | 'ssh-authorities:delete' | 'images:read' | 'images:create' | 'images:update' | 'images:delete' | 'secrets:read' | 'secrets:create' | 'secrets:update' | 'secrets:delete' | 'secrets:reveal' | 'operations:read' | 'instances:read' | 'instances:create' | 'instances:update' | 'instances:delete' | 'instances:power' | 'instances:logs' | 'instances:adopt' | 'instances:exec' | 'instances:console' | 'instances:credentials' | 'instances:snapshot' | 'instances:suspend' | 'webhooks:read' | 'webhooks:create' | 'webhooks:update' | 'webhooks:delete' | 'audit:read' | 'system:read' | 'system:update')[]
  }
  readonly status?: unknown
}

export type RotatedWebhook = {
  /** What signs, if we made it. Shown once. */
  readonly secret?: string
  readonly metadata: ImageMetadata
  readonly spec: NewWebhookSpec
  readonly status: NewWebhookStatus
}

export type Scale = {
  /** Of services; the main one unless said. */
  readonly service?: string
  readonly cpuMillis?: number
  readonly memoryMiB?: number
  /** Of a machine. */
  readonly flavor?: string
  /** Refused: an instance is one; replicas belong to workloads. */
  readonly replicas?: number
}

export type SealedContent = {
  /** Names the content without revealing it. */
  readonly sealed: string
  readonly sizeBytes: number
}

export type Secret = {
  readonly metadata: ImageMetadata
  readonly spec: {
    /** `registry`: the password with which images are pulled. It never changes. */
    readonly type?: 'opaque' | 'registry'
    /** Of one of type `registry`; the value is the password. */
    readonly registry?: {
      /** As image names begin: `registry.example.com:5000`. */
      readonly server: string
      readonly username: string
    }
    /** How many versions are kept; older ones go with the next write, unless something uses them. */
    readonly keepVersions?: number
  }
  readonly status: {
    /** The newest. */
    readonly version: number
    readonly sizeBytes: number
    /** When the newest version was written. */
    readonly createdAt: string
    /** Who wrote it. */
    readonly createdBy: string
    /** Whether it can be in an environment. */
    readonly isText: boolean
    /** How many are kept. */
    readonly versions: number
    readonly conditions?: readonly Conditions[]
  }
}

export type SecretList = {
  readonly items: readonly Secret[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type SecretRotation = {
  /** Made by us unless given. */
  readonly secret?: string
  /** A duration; 24h unless said, at most 30d. */
  readonly keepFor?: string
}

export type SecretValue = {
  readonly version: number
  /** Absent where it is not text. */
  readonly value?: string
  readonly valueBase64: string
}

export type SecretVersion = {
  readonly version: number
  readonly sizeBytes: number
  readonly createdAt: string
  readonly createdBy: string
}

export type SecretVersionList = {
  readonly items: readonly SecretVersion[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type SecretVersionWrite = {
  /** What is kept secret, as text. */
  readonly value?: string
  /** In its place, where it is not text. */
  readonly valueBase64?: string
  /** In place of a value: an older version, whose value is the newest again. */
  readonly from?: number
}

export type SecretWrite = {
  readonly name: string
  readonly displayName?: string
  readonly labels?: {
    readonly [name: string]: string
  }
  readonly spec?: SecretWriteSpec
} | {
  readonly kind?: 'secret'
  readonly metadata: ImageWriteMetadata
  readonly spec?: SecretWriteSpec
  readonly status?: unknown
}

export type SecurityGroup = {
  readonly metadata: ImageMetadata
  readonly spec: SecurityGroupSpec
  readonly status: NetworkStatus
}

export type SecurityGroupList = {
  readonly items: readonly SecurityGroup[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type SecurityGroupWrite = {
  readonly name: string
  readonly displayName?: string
  readonly labels?: {
    readonly [name: string]: string
  }
  readonly spec: SecurityGroupSpec
} | {
  readonly kind?: 'security-group'
  readonly metadata: ImageWriteMetadata
  readonly spec: SecurityGroupSpec
  readonly status?: unknown
}

export type ServiceAccount = {
  readonly metadata: ImageMetadata
  readonly spec: {
    /** Its tokens are refused while this is true. */
    readonly disabled?: boolean
  }
  readonly status: OrganizationStatus
}

export type ServiceAccountList = {
  readonly items: readonly ServiceAccount[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type ServiceAccountWrite = {
  readonly name: string
  readonly displayName?: string
  readonly labels?: {
    readonly [name: string]: string
  }
  readonly spec?: {
    /** Its tokens are refused while this is true. */
    readonly disabled?: boolean
  }
} | {
  readonly kind?: 'service-account'
  readonly metadata: ImageWriteMetadata
  readonly spec?: {
    /** Its tokens are refused while this is true. */
    readonly disabled?: boolean
  }
  readonly status?: unknown
}

export type Session = {
  readonly metadata: DeadLetterMetadata
  readonly spec: {
    readonly principal: string
    readonly expiresAt: string
    readonly address: string
  }
  readonly status: Record<string, never>
}

export type SessionList = {
  readonly items: readonly Session[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type SignedSshKey = {
  /** To be written beside the private key: `id_ed25519-cert.pub`. */
  readonly certificate: string
  readonly user: string
  readonly principals: readonly string[]
  /** What the machine writes in its log. */
  readonly keyId: string
  readonly serial: string
  readonly validAfter: string
  readonly validBefore: string
  /** Where the machine is, the public ones first. */
  readonly addresses: readonly string[]
}

export type Snapshot = {
  readonly name: string
  readonly labels?: {
    readonly [name: string]: string
  }
  readonly displayName?: string
}

export type SnapshotAccepted = {
  readonly operation: {
    readonly id: string
    readonly type: string
  }
  readonly image: Image
}

export type SshAuthority = {
  readonly metadata: ImageMetadata
  readonly spec: SshAuthoritySpec
  readonly status: {
    /** In its one form, to be trusted by machines. */
    readonly publicKey: string
    /** `SHA256:…`, as `ssh-keygen -l` prints it. */
    readonly fingerprint: string
    readonly conditions?: readonly Conditions[]
  }
}

export type SshAuthorityList = {
  readonly items: readonly SshAuthority[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type SshAuthorityWrite = {
  readonly name: string
  readonly displayName?: string
  readonly labels?: {
    readonly [name: string]: string
  }
  readonly spec?: SshAuthoritySpec
} | {
  readonly kind?: 'ssh-authority'
  readonly metadata: ImageWriteMetadata
  readonly spec?: SshAuthoritySpec
  readonly status?: unknown
}

export type SshKey = {
  /** Yours, as OpenSSH writes it. */
  readonly publicKey: string
  /** Whom to log in as. */
  readonly user?: string
  /** A duration such as 5m; 15m unless said, at most 24h. */
  readonly expiresIn?: string
}

export type StreamTicket = {
  /** Opens one WebSocket, once. */
  readonly ticket: string
  /** Where: a path on this host, with `ws:` or `wss:`. */
  readonly url: string
  readonly expiresAt: string
}

export type Suspend = {
  readonly reason: string
}

export type System = {
  /** The node that answers. */
  readonly node: {
    readonly id: string
    readonly version: {
      readonly version: string
      /** Node's version. */
      readonly node: string
      /** The source it was built from, where that is known. */
      readonly revision?: string
    }
    readonly ready: boolean
    readonly reasons: readonly string[]
    /** The revision it reads at. */
    readonly revision: number
    /** How long ago that was last known to be the newest. */
    readonly lagSeconds: number
    /** In its memory. */
    readonly objects: number
    readonly shards: readonly number[]
    readonly controllers: readonly {
      readonly name: string
      readonly kind: string
      /** Keys that wait for a turn because something changed. */
      readonly live: number
      /** Keys that wait for a turn to see whether something was missed. */
      readonly resync: number
      readonly running: number
      /** Keys that wait for a time. */
      readonly delayed: number
      /** Keys that wait for a change. */
      readonly parked: number
      /** How long the key that has waited longest for a turn has waited. */
      readonly oldestSeconds: number
    }[]
    /** Objects of its shards that do not come on; the first 100. */
    readonly stuck: readonly {
      readonly kind: string
      readonly id: string
      readonly controller: string
      readonly state: 'failing' | 'parked'
      /** In a row. The log says why. */
      readonly failures?: number
      /** Why it is parked. */
      readonly reason?: string
      readonly message?: string
      readonly since?: string
    }[]
  }
  /** Every node that lives, as its leases show. */
  readonly nodes: readonly {
    readonly id: string
    readonly shards: readonly number[]
    readonly duties: readonly string[]
    /** How long until others may take over, if it is not heard of before. */
    readonly leaseSeconds: number
  }[]
  readonly store: {
    readonly database: 'sqlite'
    readonly id: string
    /** Of the database's software. */
    readonly version: string
    /** Moves when the store is restored or found to be a copy. */
    readonly epoch: number
    /** Nothing outside is changed until `stead resume`. */
    readonly observeOnly: boolean
    /** The last revision this node knows to be committed. */
    readonly head: number
    /** The newest revision that is no longer in the log. */
    readonly compacted: number
    readonly waitingCommits: number
    readonly warnings: readonly string[]
    readonly path: string
  } | {
    readonly database: 'postgresql'
    readonly id: string
    /** Of the database's software. */
    readonly version: string
    /** Moves when the store is restored or found to be a copy. */
    readonly epoch: number
    /** Nothing outside is changed until `stead resume`. */
    readonly observeOnly: boolean
    /** The last revision this node knows to be committed. */
    readonly head: number
    /** The newest revision that is no longer in the log. */
    readonly compacted: number
    readonly waitingCommits: number
    readonly warnings: readonly string[]
    readonly host: string
    /** Of the database. */
    readonly name: string
    readonly user: string
    readonly schema: string
    /** Whether nodes hear of each other’s commits at once; if not, they poll. */
    readonly notifications: 'unknown' | 'working' | 'swallowed'
    /** How long ago all of the log was last known to be here. */
    readonly lagSeconds: number
    /** Of this node's pool. */
    readonly sessions: number
    /** Requests that wait for a session. */
    readonly waitingReads: number
  }
}

export type Token = {
  readonly metadata: DeadLetterMetadata
  readonly spec: NewTokenSpec
  readonly status: {
    readonly lastUsedAt?: string | null
  }
}

export type TokenList = {
  readonly items: readonly Token[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type TokenWrite = {
  readonly displayName?: string
  /** A duration such as 24h; 90d unless said, at most 366d. */
  readonly expiresIn?: string
  /** Narrows what the token may do below what its principal may. */
  readonly scope?: {
    readonly permissions?: readonly ('organizations:read' | 'organizations:create' | 'organizations:update' | 'organizations:delete' | 'projects:read' | 'projects:create' | 'projects:update' | 'projects:delete' | 'users:read' | 'users:create' | 'users:update' | 'users:delete' | 'service-accounts:read' | 'service-accounts:create' | 'service-accounts:update' | 'service-accounts:delete' | 'tokens:read' | 'tokens:create' | 'tokens:delete' | 'roles:read' | 'roles:create' | 'roles:update' | 'roles:delete' | 'grants:read' | 'grants:create' | 'grants:delete' | 'quotas:read' | 'quotas:update' | 'quotas:limit' | 'regions:read' | 'regions:create' | 'regions:update' | 'regions:delete' | 'networks:read' | 'networks:create' | 'networks:update' | 'networks:delete' | 'security-groups:read' | 'security-groups:create' | 'security-groups:update' | 'security-groups:delete' | 'ssh-authorities:read' | 'ssh-authorities:create' | 'ssh-authorities:update' | 'ssh-authorities:delete' | 'images:read' | 'images:create' | 'images:update' | 'images:delete' | 'secrets:read' | 'secrets:create' | 'secrets:update' | 'secrets:delete' | 'secrets:reveal' | 'operations:read' | 'instances:read' | 'instances:create' | 'instances:update' | 'instances:delete' | 'instances:power' | 'instances:logs' | 'instances:adopt' | 'instances:exec' | 'instances:console' | 'instances:credentials' | 'instances:snapshot' | 'instances:suspend' | 'webhooks:read' | 'webhooks:create' | 'webhooks:update' | 'webhooks:delete' | 'audit:read' | 'system:read' | 'system:update')[]
    /** Id or name: of no use anywhere else. */
    readonly project?: string
  }
}

export type Usage = {
  readonly at: string
  /** The time that rates are over; null where there is nothing to compare with, or nothing is known. */
  readonly windowSeconds: number | null
  readonly cpu: number | null
  readonly memoryBytes: number | null
  readonly memoryLimitBytes: number | null
  readonly diskUsedBytes: number | null
  readonly diskReadBytesPerSecond: number | null
  readonly diskWrittenBytesPerSecond: number | null
  readonly networkReceivedBytesPerSecond: number | null
  readonly networkSentBytesPerSecond: number | null
  readonly services: {
    readonly [name: string]: {
      readonly cpu: number | null
      readonly memoryBytes: number | null
      readonly memoryLimitBytes: number | null
      readonly diskUsedBytes: number | null
      readonly diskReadBytesPerSecond: number | null
      readonly diskWrittenBytesPerSecond: number | null
      readonly networkReceivedBytesPerSecond: number | null
      readonly networkSentBytesPerSecond: number | null
    }
  }
}

export type User = {
  readonly metadata: DeadLetterMetadata
  readonly spec: {
    readonly email?: string
    readonly disabled?: boolean
    readonly oidc?: {
      readonly issuer: string
      readonly subject: string
    }
  }
  readonly status: Record<string, never>
}

export type UserData = {
  readonly userDataBase64: string
}

export type UserList = {
  readonly items: readonly User[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type UserPatch = {
  readonly displayName?: string | null
  readonly labels?: {
    readonly [name: string]: string
  }
  /** What they have open ends, and they cannot come in. */
  readonly disabled?: boolean
}

export type Webhook = {
  readonly metadata: ImageMetadata
  readonly spec: NewWebhookSpec
  readonly status: NewWebhookStatus
}

export type WebhookList = {
  readonly items: readonly Webhook[]
  readonly nextCursor: string | null
  readonly total: number
  readonly revision?: number
}

export type WebhookWrite = {
  readonly name: string
  readonly displayName?: string
  readonly labels?: {
    readonly [name: string]: string
  }
  readonly spec: WebhookWriteSpec
} | {
  readonly kind?: 'webhook'
  readonly metadata: ImageWriteMetadata
  readonly spec: WebhookWriteSpec
  readonly status?: unknown
}

export type Whoami = {
  readonly principal: {
    readonly id: string
    readonly type: string
    readonly displayName: string
  }
  readonly credential: {
    readonly id: string
    readonly scope?: {
      readonly permissions?: readonly ('organizations:read' | 'organizations:create' | 'organizations:update' | 'organizations:delete' | 'projects:read' | 'projects:create' | 'projects:update' | 'projects:delete' | 'users:read' | 'users:create' | 'users:update' | 'users:delete' | 'service-accounts:read' | 'service-accounts:create' | 'service-accounts:update' | 'service-accounts:delete' | 'tokens:read' | 'tokens:create' | 'tokens:delete' | 'roles:read' | 'roles:create' | 'roles:update' | 'roles:delete' | 'grants:read' | 'grants:create' | 'grants:delete' | 'quotas:read' | 'quotas:update' | 'quotas:limit' | 'regions:read' | 'regions:create' | 'regions:update' | 'regions:delete' | 'networks:read' | 'networks:create' | 'networks:update' | 'networks:delete' | 'security-groups:read' | 'security-groups:create' | 'security-groups:update' | 'security-groups:delete' | 'ssh-authorities:read' | 'ssh-authorities:create' | 'ssh-authorities:update' | 'ssh-authorities:delete' | 'images:read' | 'images:create' | 'images:update' | 'images:delete' | 'secrets:read' | 'secrets:create' | 'secrets:update' | 'secrets:delete' | 'secrets:reveal' | 'operations:read' | 'instances:read' | 'instances:create' | 'instances:update' | 'instances:delete' | 'instances:power' | 'instances:logs' | 'instances:adopt' | 'instances:exec' | 'instances:console' | 'instances:credentials' | 'instances:snapshot' | 'instances:suspend' | 'webhooks:read' | 'webhooks:create' | 'webhooks:update' | 'webhooks:delete' | 'audit:read' | 'system:read' | 'system:update')[]
      readonly projectId?: string
    }
  }
  /** For sessions: send it as stead-csrf with changes. */
  readonly csrfToken?: string
  readonly grants: readonly {
    readonly role: string
    readonly on: 'platform' | 'organization' | 'project'
    readonly organization?: {
      readonly id: string
      readonly name?: string
    }
    readonly project?: {
      readonly id: string
      readonly name?: string
    }
    readonly permissions: readonly string[]
  }[]
}

/** Every route: what it takes, and what it answers when it does not refuse. */
export interface Operations {
  /** Create an organization */
  'POST /v1/organizations': {
    input: {
      readonly body: OrganizationWrite
    }
    reply: Organization
  }
  /** List the organizations that the caller may read */
  'GET /v1/organizations': {
    input: {
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: OrganizationList
  }
  /** Read an organization */
  'GET /v1/organizations/{organization}': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
    }
    reply: Organization
  }
  /** Change an organization */
  'PATCH /v1/organizations/{organization}': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
      readonly body?: MergePatch
    }
    reply: Organization
  }
  /** Delete an organization */
  'DELETE /v1/organizations/{organization}': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
      readonly query?: {
        /** End what is in it too, in order. */
        readonly cascade?: boolean
      }
    }
    reply: Organization
  }
  /** Create a project */
  'POST /v1/organizations/{organization}/projects': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
      readonly body: ProjectWrite
    }
    reply: Project
  }
  /** List the projects of an organization */
  'GET /v1/organizations/{organization}/projects': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: ProjectList
  }
  /** List the projects that the caller may read, of all organizations */
  'GET /v1/projects': {
    input: {
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: ProjectList
  }
  /** Read a project */
  'GET /v1/projects/{project}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
    }
    reply: Project
  }
  /** Change a project */
  'PATCH /v1/projects/{project}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly body?: MergePatch
    }
    reply: Project
  }
  /** Delete a project */
  'DELETE /v1/projects/{project}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly query?: {
        /** End what is in it too, in order. */
        readonly cascade?: boolean
      }
    }
    reply: Project
  }
  /** Create a service account of the platform */
  'POST /v1/service-accounts': {
    input: {
      readonly body: ServiceAccountWrite
    }
    reply: ServiceAccount
  }
  /** List the service accounts of the platform */
  'GET /v1/service-accounts': {
    input: {
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: ServiceAccountList
  }
  /** Read a service account */
  'GET /v1/service-accounts/{account}': {
    input: {
      readonly path: {
        /** Id or name of the service-account. */
        readonly account: string
      }
    }
    reply: ServiceAccount
  }
  /** Change a service account; disabled, none of its tokens is accepted */
  'PATCH /v1/service-accounts/{account}': {
    input: {
      readonly path: {
        /** Id or name of the service-account. */
        readonly account: string
      }
      readonly body?: MergePatch
    }
    reply: ServiceAccount
  }
  /** Delete a service account, its tokens and its grants */
  'DELETE /v1/service-accounts/{account}': {
    input: {
      readonly path: {
        /** Id or name of the service-account. */
        readonly account: string
      }
    }
    reply: ServiceAccount
  }
  /** Create a service account of an organization */
  'POST /v1/organizations/{organization}/service-accounts': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
      readonly body: ServiceAccountWrite
    }
    reply: ServiceAccount
  }
  /** List the service accounts of an organization */
  'GET /v1/organizations/{organization}/service-accounts': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: ServiceAccountList
  }
  /** Read a service account */
  'GET /v1/organizations/{organization}/service-accounts/{account}': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
        /** Id or name of the service-account. */
        readonly account: string
      }
    }
    reply: ServiceAccount
  }
  /** Change a service account; disabled, none of its tokens is accepted */
  'PATCH /v1/organizations/{organization}/service-accounts/{account}': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
        /** Id or name of the service-account. */
        readonly account: string
      }
      readonly body?: MergePatch
    }
    reply: ServiceAccount
  }
  /** Delete a service account, its tokens and its grants */
  'DELETE /v1/organizations/{organization}/service-accounts/{account}': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
        /** Id or name of the service-account. */
        readonly account: string
      }
    }
    reply: ServiceAccount
  }
  /** Make a token for a service account; it is shown once */
  'POST /v1/service-accounts/{account}/tokens': {
    input: {
      readonly path: {
        /** Id or name of the service-account. */
        readonly account: string
      }
      readonly body?: TokenWrite
    }
    reply: NewToken
  }
  /** List the tokens of a service account */
  'GET /v1/service-accounts/{account}/tokens': {
    input: {
      readonly path: {
        /** Id or name of the service-account. */
        readonly account: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: TokenList
  }
  /** Read what a token is for; never the token itself */
  'GET /v1/service-accounts/{account}/tokens/{token}': {
    input: {
      readonly path: {
        /** Id or name of the service account. */
        readonly account: string
        /** Id or name of the token. */
        readonly token: string
      }
    }
    reply: Token
  }
  /** Revoke a token: what it opened ends */
  'DELETE /v1/service-accounts/{account}/tokens/{token}': {
    input: {
      readonly path: {
        /** Id or name of the service account. */
        readonly account: string
        /** Id or name of the token. */
        readonly token: string
      }
    }
    reply: Token
  }
  /** Make a token for a service account; it is shown once */
  'POST /v1/organizations/{organization}/service-accounts/{account}/tokens': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
        /** Id or name of the service-account. */
        readonly account: string
      }
      readonly body?: TokenWrite
    }
    reply: NewToken
  }
  /** List the tokens of a service account */
  'GET /v1/organizations/{organization}/service-accounts/{account}/tokens': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
        /** Id or name of the service-account. */
        readonly account: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: TokenList
  }
  /** Read what a token is for; never the token itself */
  'GET /v1/organizations/{organization}/service-accounts/{account}/tokens/{token}': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
        /** Id or name of the service account. */
        readonly account: string
        /** Id or name of the token. */
        readonly token: string
      }
    }
    reply: Token
  }
  /** Revoke a token: what it opened ends */
  'DELETE /v1/organizations/{organization}/service-accounts/{account}/tokens/{token}': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
        /** Id or name of the service account. */
        readonly account: string
        /** Id or name of the token. */
        readonly token: string
      }
    }
    reply: Token
  }
  /** List the roles that every installation has, with what each is for */
  'GET /v1/roles': {
    input: Record<never, never>
    reply: {
      readonly items: readonly BuiltInRole[]
    }
  }
  /** Make a role of the organization’s own */
  'POST /v1/organizations/{organization}/roles': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
      readonly body: RoleWrite
    }
    reply: Role
  }
  /** List the roles of the organization’s own */
  'GET /v1/organizations/{organization}/roles': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: RoleList
  }
  /** Read a role */
  'GET /v1/organizations/{organization}/roles/{role}': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
        /** Id or name of the role. */
        readonly role: string
      }
    }
    reply: Role
  }
  /** Change a role, for everybody who has it */
  'PATCH /v1/organizations/{organization}/roles/{role}': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
        /** Id or name of the role. */
        readonly role: string
      }
      readonly body?: MergePatch
    }
    reply: Role
  }
  /** Delete a role; refused with `in_use` while somebody has it */
  'DELETE /v1/organizations/{organization}/roles/{role}': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
        /** Id or name of the role. */
        readonly role: string
      }
    }
    reply: Role
  }
  /** Give a principal a role on the platform */
  'POST /v1/grants': {
    input: {
      readonly body: GrantWrite
    }
    reply: Grant
  }
  /** List who has which role on the platform */
  'GET /v1/grants': {
    input: {
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
        /** Only those of this principal, by id. */
        readonly principal?: string
        /** Only those of this role. */
        readonly role?: string
      }
    }
    reply: GrantList
  }
  /** Read a grant */
  'GET /v1/grants/{grant}': {
    input: {
      readonly path: {
        /** Id or name of the grant. */
        readonly grant: string
      }
    }
    reply: Grant
  }
  /** Take a role away */
  'DELETE /v1/grants/{grant}': {
    input: {
      readonly path: {
        /** Id or name of the grant. */
        readonly grant: string
      }
    }
    reply: Grant
  }
  /** Give a principal a role on an organization or one of its projects */
  'POST /v1/organizations/{organization}/grants': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
      readonly body: OrganizationGrantWrite
    }
    reply: Grant
  }
  /** List who has which role on an organization or one of its projects */
  'GET /v1/organizations/{organization}/grants': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
        /** Only those of this principal, by id. */
        readonly principal?: string
        /** Only those of this role. */
        readonly role?: string
      }
    }
    reply: GrantList
  }
  /** Read a grant */
  'GET /v1/organizations/{organization}/grants/{grant}': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
        /** Id or name of the grant. */
        readonly grant: string
      }
    }
    reply: Grant
  }
  /** Take a role away */
  'DELETE /v1/organizations/{organization}/grants/{grant}': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
        /** Id or name of the grant. */
        readonly grant: string
      }
    }
    reply: Grant
  }
  /** Give a principal a role on a project */
  'POST /v1/projects/{project}/grants': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly body: GrantWrite
    }
    reply: Grant
  }
  /** List who has which role on a project */
  'GET /v1/projects/{project}/grants': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
        /** Only those of this principal, by id. */
        readonly principal?: string
        /** Only those of this role. */
        readonly role?: string
      }
    }
    reply: GrantList
  }
  /** Read a grant */
  'GET /v1/projects/{project}/grants/{grant}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the grant. */
        readonly grant: string
      }
    }
    reply: Grant
  }
  /** Take a role away */
  'DELETE /v1/projects/{project}/grants/{grant}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the grant. */
        readonly grant: string
      }
    }
    reply: Grant
  }
  /** List everybody */
  'GET /v1/users': {
    input: {
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: UserList
  }
  /** Read a user, by id or email */
  'GET /v1/users/{user}': {
    input: {
      readonly path: {
        /** Id or name of the user. */
        readonly user: string
      }
    }
    reply: User
  }
  /** Change a user: disable them, or let them in again */
  'PATCH /v1/users/{user}': {
    input: {
      readonly path: {
        /** Id or name of the user. */
        readonly user: string
      }
      readonly body?: UserPatch
    }
    reply: User
  }
  /** Delete a user, with their tokens, sessions and grants */
  'DELETE /v1/users/{user}': {
    input: {
      readonly path: {
        /** Id or name of the user. */
        readonly user: string
      }
    }
    reply: User
  }
  /** List who holds something in an organization */
  'GET /v1/organizations/{organization}/users': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: UserList
  }
  /** Read a user who holds something in an organization */
  'GET /v1/organizations/{organization}/users/{user}': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
        /** Id or email. */
        readonly user: string
      }
    }
    reply: User
  }
  /** Take everything from a user that they hold in an organization and its projects */
  'DELETE /v1/organizations/{organization}/users/{user}': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
        /** Id or email. */
        readonly user: string
      }
    }
    reply: User
  }
  /** Invite somebody to the platform */
  'POST /v1/invitations': {
    input: {
      readonly body: {
        readonly email: string
        /** What they will hold: name of a role, or its id. */
        readonly role: string
        /** A duration such as 48h; 7d unless said, at most 30d. */
        readonly expiresIn?: string
      }
    }
    reply: NewInvitation
  }
  /** List the invitations that were not accepted yet */
  'GET /v1/invitations': {
    input: {
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: InvitationList
  }
  /** Read an invitation; never its token */
  'GET /v1/invitations/{invitation}': {
    input: {
      readonly path: {
        /** Id or name of the invitation. */
        readonly invitation: string
      }
    }
    reply: Invitation
  }
  /** Withdraw an invitation */
  'DELETE /v1/invitations/{invitation}': {
    input: {
      readonly path: {
        /** Id or name of the invitation. */
        readonly invitation: string
      }
    }
    reply: Invitation
  }
  /** Invite somebody to an organization or one of its projects */
  'POST /v1/organizations/{organization}/invitations': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
      readonly body: {
        readonly email: string
        /** What they will hold: name of a role, or its id. */
        readonly role: string
        /** A duration such as 48h; 7d unless said, at most 30d. */
        readonly expiresIn?: string
        /** Id or name of a project. */
        readonly project?: string
      }
    }
    reply: NewInvitation
  }
  /** List the invitations that were not accepted yet */
  'GET /v1/organizations/{organization}/invitations': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: InvitationList
  }
  /** Read an invitation; never its token */
  'GET /v1/organizations/{organization}/invitations/{invitation}': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
        /** Id or name of the invitation. */
        readonly invitation: string
      }
    }
    reply: Invitation
  }
  /** Withdraw an invitation */
  'DELETE /v1/organizations/{organization}/invitations/{invitation}': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
        /** Id or name of the invitation. */
        readonly invitation: string
      }
    }
    reply: Invitation
  }
  /** Let a user choose a new password; the token that is answered is accepted like an invitation */
  'POST /v1/users/{user}/password-reset': {
    input: {
      readonly path: {
        /** Id or name of the user. */
        readonly user: string
      }
      readonly body?: {
        /** A duration such as 48h; 7d unless said, at most 30d. */
        readonly expiresIn?: string
      }
    }
    reply: NewInvitation
  }
  /** Accept an invitation: choose a password and become a user, or choose a new password */
  'POST /v1/invitations/accept': {
    input: {
      readonly body: {
        readonly token: string
        readonly password: string
        readonly displayName?: string
      }
    }
    reply: User
  }
  /** Accept an invitation as the user who is signed in */
  'POST /v1/me/invitations': {
    input: {
      readonly body: {
        readonly token: string
      }
    }
    reply: User
  }
  /** Sign in to the console: answers with the session cookie */
  'POST /v1/sessions': {
    input: {
      readonly body: {
        readonly email: string
        readonly password: string
      }
    }
    reply: NewSession
  }
  /** List the identity providers to sign in with */
  'GET /v1/oidc': {
    input: Record<never, never>
    reply: {
      readonly items: readonly {
        readonly name: string
        readonly login: string
      }[]
    }
  }
  /** Go to an identity provider to sign in to the console */
  'GET /v1/oidc/{provider}/login': {
    input: {
      readonly path: {
        readonly provider: string
      }
      readonly query?: {
        readonly returnTo?: string
      }
    }
    reply: undefined
  }
  /** Where an identity provider sends the browser back to */
  'GET /v1/oidc/{provider}/callback': {
    input: {
      readonly path: {
        readonly provider: string
      }
      readonly query: {
        readonly state: string
        readonly code?: string
        readonly error?: string
        readonly iss?: string
      }
    }
    reply: undefined
  }
  /** Make a token for oneself; it is shown once */
  'POST /v1/me/tokens': {
    input: {
      readonly body?: TokenWrite
    }
    reply: NewToken
  }
  /** List the caller’s own tokens */
  'GET /v1/me/tokens': {
    input: {
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: TokenList
  }
  /** Revoke a token of the caller’s own */
  'DELETE /v1/me/tokens/{token}': {
    input: {
      readonly path: {
        readonly token: string
      }
    }
    reply: Token
  }
  /** List where the caller is signed in */
  'GET /v1/me/sessions': {
    input: {
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: SessionList
  }
  /** Sign out: `current`, or any session of the caller’s own */
  'DELETE /v1/me/sessions/{session}': {
    input: {
      readonly path: {
        readonly session: string
      }
    }
    reply: Session
  }
  /** Change one’s password; every other session ends */
  'POST /v1/me/password': {
    input: {
      readonly body: {
        readonly current: string
        readonly new: string
      }
    }
    reply: {
      readonly changed: boolean
    }
  }
  /** Who the caller is, and what they may do where */
  'GET /v1/whoami': {
    input: Record<never, never>
    reply: Whoami
  }
  /** Read what an organization may use and what it uses */
  'GET /v1/organizations/{organization}/quotas': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
    }
    reply: QuotaList
  }
  /** Set the limits of an organization */
  'PUT /v1/organizations/{organization}/quotas': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
      readonly body: Limits
    }
    reply: QuotaList
  }
  /** Read what a project may use and what it uses */
  'GET /v1/projects/{project}/quotas': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
    }
    reply: QuotaList
  }
  /** Set the limits of a project */
  'PUT /v1/projects/{project}/quotas': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly body: Limits
    }
    reply: QuotaList
  }
  /** Ask whether something would fit, without making it */
  'POST /v1/projects/{project}/quota/check': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly body?: Amounts
    }
    reply: QuotaCheck
  }
  /** Recount all quotas, and read what is wrong with them */
  'GET /v1/system/quotas/drift': {
    input: Record<never, never>
    reply: QuotaVerification
  }
  /** Recount all quotas, and set right what is wrong with them */
  'POST /v1/system/quotas/repair': {
    input: Record<never, never>
    reply: QuotaVerification
  }
  /** List what is in a region with our tags and belongs to nothing here */
  'GET /v1/regions/{region}/orphans': {
    input: {
      readonly path: {
        /** Id or name of the region. */
        readonly region: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: OrphanList
  }
  /** Say that an orphan is to go: it is ended in its region, with its disk */
  'POST /v1/regions/{region}/orphans/{orphan}/reap': {
    input: {
      readonly path: {
        readonly region: string
        /** Id or name of the orphan. */
        readonly orphan: string
      }
    }
    reply: Orphan
  }
  /** Say that what looks gone in a region is gone */
  'POST /v1/regions/{region}/accept-loss': {
    input: {
      readonly path: {
        /** Id or name of the region. */
        readonly region: string
      }
    }
    reply: Region
  }
  /** Read who did what in an organization */
  'GET /v1/organizations/{organization}/audit': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Not older than this: `2026-11-15T12:00:00Z`. */
        readonly since?: string
        /** Older than this. */
        readonly until?: string
        /** Who: an id, or a name. */
        readonly actor?: string
        /** What: `tokens:create`, or `tokens:*`. */
        readonly action?: string
        /** To which object: an id, or a name. */
        readonly object?: string
      }
    }
    reply: AuditList
  }
  /** Read who did what, everywhere */
  'GET /v1/system/audit': {
    input: {
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Not older than this: `2026-11-15T12:00:00Z`. */
        readonly since?: string
        /** Older than this. */
        readonly until?: string
        /** Who: an id, or a name. */
        readonly actor?: string
        /** What: `tokens:create`, or `tokens:*`. */
        readonly action?: string
        /** To which object: an id, or a name. */
        readonly object?: string
      }
    }
    reply: AuditList
  }
  /** Register a region */
  'POST /v1/regions': {
    input: {
      readonly body: RegionWrite
    }
    reply: Region
  }
  /** List the regions that the caller’s organizations may use */
  'GET /v1/regions': {
    input: {
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: RegionList
  }
  /** List the regions that a project may use */
  'GET /v1/projects/{project}/regions': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: RegionList
  }
  /** Read a region */
  'GET /v1/regions/{region}': {
    input: {
      readonly path: {
        readonly region: string
      }
    }
    reply: Region
  }
  /** Change a region: its mode, configuration, credentials, or who may use it */
  'PATCH /v1/regions/{region}': {
    input: {
      readonly path: {
        /** Id or name of the region. */
        readonly region: string
      }
      readonly body?: MergePatch
    }
    reply: Region
  }
  /** Delete a region; refused with `in_use` while anything is in it */
  'DELETE /v1/regions/{region}': {
    input: {
      readonly path: {
        /** Id or name of the region. */
        readonly region: string
      }
    }
    reply: Region
  }
  /** Make a region the one that is meant where none is named */
  'POST /v1/regions/{region}/make-default': {
    input: {
      readonly path: {
        /** Id or name of the region. */
        readonly region: string
      }
    }
    reply: Region
  }
  /** List the sizes in a region */
  'GET /v1/regions/{region}/flavors': {
    input: {
      readonly path: {
        readonly region: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only this name, or `prefix*`. */
        readonly name?: string
      }
    }
    reply: FlavorList
  }
  /** List the images that the caller may boot: those of everybody, and those of their projects, in a region */
  'GET /v1/regions/{region}/images': {
    input: {
      readonly path: {
        readonly region: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only this name, or `prefix*`. */
        readonly name?: string
      }
    }
    reply: RegionImageList
  }
  /** Create a network */
  'POST /v1/projects/{project}/networks': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly body: NetworkWrite
    }
    reply: Network
  }
  /** List the networks of a project */
  'GET /v1/projects/{project}/networks': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
        /** Only those in this region, by id or by name. */
        readonly region?: string
      }
    }
    reply: NetworkList
  }
  /** Read a network */
  'GET /v1/projects/{project}/networks/{network}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the network. */
        readonly network: string
      }
    }
    reply: Network
  }
  /** Change the labels or the display name of a network */
  'PATCH /v1/projects/{project}/networks/{network}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the network. */
        readonly network: string
      }
      readonly body?: MergePatch
    }
    reply: Network
  }
  /** Delete a network */
  'DELETE /v1/projects/{project}/networks/{network}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the network. */
        readonly network: string
      }
      readonly query?: {
        /** End what is in it too, in order. */
        readonly cascade?: boolean
      }
    }
    reply: Network
  }
  /** Read what happened to a network */
  'GET /v1/projects/{project}/networks/{network}/events': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the network. */
        readonly network: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Not older than this: `2026-11-15T12:00:00Z`. */
        readonly since?: string
        /** Older than this. */
        readonly until?: string
        /** Only those: `Unhealthy,Healthy`. */
        readonly reason?: readonly string[]
      }
    }
    reply: EventList
  }
  /** Create a security group of a network */
  'POST /v1/projects/{project}/security-groups': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly body: SecurityGroupWrite
    }
    reply: SecurityGroup
  }
  /** List the security groups of a project */
  'GET /v1/projects/{project}/security-groups': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
        /** Only those of this network, by id or by name. */
        readonly network?: string
      }
    }
    reply: SecurityGroupList
  }
  /** Read a security group */
  'GET /v1/projects/{project}/security-groups/{securityGroup}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the security-group. */
        readonly securityGroup: string
      }
    }
    reply: SecurityGroup
  }
  /** Change the rules, the labels or the display name of a security group */
  'PATCH /v1/projects/{project}/security-groups/{securityGroup}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the security-group. */
        readonly securityGroup: string
      }
      readonly body?: MergePatch
    }
    reply: SecurityGroup
  }
  /** Delete a security group */
  'DELETE /v1/projects/{project}/security-groups/{securityGroup}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the security-group. */
        readonly securityGroup: string
      }
      readonly query?: {
        /** End what is in it too, in order. */
        readonly cascade?: boolean
      }
    }
    reply: SecurityGroup
  }
  /** Read what happened to a security-group */
  'GET /v1/projects/{project}/security-groups/{securityGroup}/events': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the security-group. */
        readonly securityGroup: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Not older than this: `2026-11-15T12:00:00Z`. */
        readonly since?: string
        /** Older than this. */
        readonly until?: string
        /** Only those: `Unhealthy,Healthy`. */
        readonly reason?: readonly string[]
      }
    }
    reply: EventList
  }
  /** Create an SSH authority */
  'POST /v1/projects/{project}/ssh-authorities': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly body: SshAuthorityWrite
    }
    reply: SshAuthority
  }
  /** List the ssh authorities of a project */
  'GET /v1/projects/{project}/ssh-authorities': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: SshAuthorityList
  }
  /** Read an SSH authority */
  'GET /v1/projects/{project}/ssh-authorities/{sshAuthority}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the ssh-authority. */
        readonly sshAuthority: string
      }
    }
    reply: SshAuthority
  }
  /** Change the labels or the display name of an SSH authority */
  'PATCH /v1/projects/{project}/ssh-authorities/{sshAuthority}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the ssh-authority. */
        readonly sshAuthority: string
      }
      readonly body?: MergePatch
    }
    reply: SshAuthority
  }
  /** Delete an SSH authority */
  'DELETE /v1/projects/{project}/ssh-authorities/{sshAuthority}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the ssh-authority. */
        readonly sshAuthority: string
      }
      readonly query?: {
        /** End what is in it too, in order. */
        readonly cascade?: boolean
      }
    }
    reply: SshAuthority
  }
  /** Read what happened to a ssh-authority */
  'GET /v1/projects/{project}/ssh-authorities/{sshAuthority}/events': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the ssh-authority. */
        readonly sshAuthority: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Not older than this: `2026-11-15T12:00:00Z`. */
        readonly since?: string
        /** Older than this. */
        readonly until?: string
        /** Only those: `Unhealthy,Healthy`. */
        readonly reason?: readonly string[]
      }
    }
    reply: EventList
  }
  /** Import an image from a URL, or announce an upload */
  'POST /v1/projects/{project}/images': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly body: ImageWrite
    }
    reply: Image
  }
  /** List the images of a project */
  'GET /v1/projects/{project}/images': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
        /** Only those in this region, by id or by name. */
        readonly region?: string
      }
    }
    reply: ImageList
  }
  /** Read an image */
  'GET /v1/projects/{project}/images/{image}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the image. */
        readonly image: string
      }
    }
    reply: Image
  }
  /** Change the labels or the display name of an image */
  'PATCH /v1/projects/{project}/images/{image}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the image. */
        readonly image: string
      }
      readonly body?: MergePatch
    }
    reply: Image
  }
  /** Delete an image */
  'DELETE /v1/projects/{project}/images/{image}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the image. */
        readonly image: string
      }
    }
    reply: Image
  }
  /** Read what happened to an image */
  'GET /v1/projects/{project}/images/{image}/events': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the image. */
        readonly image: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Not older than this: `2026-11-15T12:00:00Z`. */
        readonly since?: string
        /** Older than this. */
        readonly until?: string
        /** Only those: `Unhealthy,Healthy`. */
        readonly reason?: readonly string[]
      }
    }
    reply: EventList
  }
  /** Upload the content of an image */
  'PUT /v1/projects/{project}/images/{image}/content': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the image. */
        readonly image: string
      }
      readonly body: Upload
    }
    reply: Image
  }
  /** Create a secret */
  'POST /v1/projects/{project}/secrets': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly body: SecretWrite
    }
    reply: Secret
  }
  /** List the secrets of a project */
  'GET /v1/projects/{project}/secrets': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: SecretList
  }
  /** Read a secret */
  'GET /v1/projects/{project}/secrets/{secret}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the secret. */
        readonly secret: string
      }
    }
    reply: Secret
  }
  /** Change the labels, the display name or how many versions are kept of a secret */
  'PATCH /v1/projects/{project}/secrets/{secret}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the secret. */
        readonly secret: string
      }
      readonly body?: MergePatch
    }
    reply: Secret
  }
  /** Delete a secret */
  'DELETE /v1/projects/{project}/secrets/{secret}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the secret. */
        readonly secret: string
      }
      readonly query?: {
        /** End what is in it too, in order. */
        readonly cascade?: boolean
      }
    }
    reply: Secret
  }
  /** Read what happened to a secret */
  'GET /v1/projects/{project}/secrets/{secret}/events': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the secret. */
        readonly secret: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Not older than this: `2026-11-15T12:00:00Z`. */
        readonly since?: string
        /** Older than this. */
        readonly until?: string
        /** Only those: `Unhealthy,Healthy`. */
        readonly reason?: readonly string[]
      }
    }
    reply: EventList
  }
  /** List the versions of a secret, the newest first; without their values */
  'GET /v1/projects/{project}/secrets/{secret}/versions': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the secret. */
        readonly secret: string
      }
    }
    reply: SecretVersionList
  }
  /** Write a new version of a secret */
  'POST /v1/projects/{project}/secrets/{secret}/versions': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the secret. */
        readonly secret: string
      }
      readonly body?: SecretVersionWrite
    }
    reply: Secret
  }
  /** Reveal the value of a version; it is told in the audit log */
  'GET /v1/projects/{project}/secrets/{secret}/versions/{version}/value': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the secret. */
        readonly secret: string
        /** Its number, or `newest`. */
        readonly version: string
      }
    }
    reply: SecretValue
  }
  /** Delete an older version of a secret; refused with `in_use` while something uses it */
  'DELETE /v1/projects/{project}/secrets/{secret}/versions/{version}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the secret. */
        readonly secret: string
        /** Its number, or `newest`. */
        readonly version: string
      }
    }
    reply: Secret
  }
  /** Read what happened to a region */
  'GET /v1/regions/{region}/events': {
    input: {
      readonly path: {
        /** Id or name of the region. */
        readonly region: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Not older than this: `2026-11-15T12:00:00Z`. */
        readonly since?: string
        /** Older than this. */
        readonly until?: string
        /** Only those: `Unhealthy,Healthy`. */
        readonly reason?: readonly string[]
      }
    }
    reply: EventList
  }
  /** List the operations of a project, those that have ended too */
  'GET /v1/projects/{project}/operations': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Not older than this: `2026-11-15T12:00:00Z`. */
        readonly since?: string
        /** Older than this. */
        readonly until?: string
      }
    }
    reply: OperationList
  }
  /** Read an operation */
  'GET /v1/projects/{project}/operations/{operation}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        readonly operation: string
      }
    }
    reply: Operation
  }
  /** Create a webhook */
  'POST /v1/projects/{project}/webhooks': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly body: WebhookWrite
    }
    reply: NewWebhook
  }
  /** List the webhooks of a project */
  'GET /v1/projects/{project}/webhooks': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: WebhookList
  }
  /** Read a webhook */
  'GET /v1/projects/{project}/webhooks/{webhook}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the webhook. */
        readonly webhook: string
      }
    }
    reply: Webhook
  }
  /** Change the URL, the events, whether it is active, the labels or the display name of a webhook */
  'PATCH /v1/projects/{project}/webhooks/{webhook}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the webhook. */
        readonly webhook: string
      }
      readonly body?: MergePatch
    }
    reply: Webhook
  }
  /** Delete a webhook */
  'DELETE /v1/projects/{project}/webhooks/{webhook}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the webhook. */
        readonly webhook: string
      }
    }
    reply: Webhook
  }
  /** Read what happened to a webhook */
  'GET /v1/projects/{project}/webhooks/{webhook}/events': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the webhook. */
        readonly webhook: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Not older than this: `2026-11-15T12:00:00Z`. */
        readonly since?: string
        /** Older than this. */
        readonly until?: string
        /** Only those: `Unhealthy,Healthy`. */
        readonly reason?: readonly string[]
      }
    }
    reply: EventList
  }
  /** List the attempts to send something to a webhook, newest first */
  'GET /v1/projects/{project}/webhooks/{webhook}/deliveries': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the webhook. */
        readonly webhook: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Not older than this: `2026-11-15T12:00:00Z`. */
        readonly since?: string
        /** Older than this. */
        readonly until?: string
        /** `dead`: it failed and is not tried again by itself; see the dead letters. */
        readonly outcome?: 'delivered' | 'failed' | 'dead'
        /** Only of this event. */
        readonly event?: string
      }
    }
    reply: DeliveryList
  }
  /** List the events that a webhook did not take */
  'GET /v1/projects/{project}/webhooks/{webhook}/dead-letters': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the webhook. */
        readonly webhook: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: DeadLetterList
  }
  /** Send a test to a webhook */
  'POST /v1/projects/{project}/webhooks/{webhook}/test': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the webhook. */
        readonly webhook: string
      }
    }
    reply: Webhook
  }
  /** Send an event to a webhook again, or all of its dead letters */
  'POST /v1/projects/{project}/webhooks/{webhook}/redeliver': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the webhook. */
        readonly webhook: string
      }
      readonly body?: Redelivery
    }
    reply: Webhook
  }
  /** Let a webhook go on that paused by itself */
  'POST /v1/projects/{project}/webhooks/{webhook}/resume': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the webhook. */
        readonly webhook: string
      }
    }
    reply: Webhook
  }
  /** Replace the secret of a webhook */
  'POST /v1/projects/{project}/webhooks/{webhook}/rotate-secret': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the webhook. */
        readonly webhook: string
      }
      readonly body?: SecretRotation
    }
    reply: RotatedWebhook
  }
  /** Read what an instance uses now */
  'GET /v1/projects/{project}/instances/{instance}/usage': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
    }
    reply: Usage
  }
  /** Read what an instance has used */
  'GET /v1/projects/{project}/instances/{instance}/metrics': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
      readonly query?: {
        /** How far back; 1h unless said, at most 30d. */
        readonly range?: string
        /** At least 15s; follows from the range unless said. */
        readonly step?: string
        /** Only of this service. */
        readonly service?: string
        /** Only these. */
        readonly names?: readonly ('cpu' | 'memoryBytes' | 'memoryLimitBytes' | 'diskUsedBytes' | 'diskReadBytesPerSecond' | 'diskWrittenBytesPerSecond' | 'networkReceivedBytesPerSecond' | 'networkSentBytesPerSecond')[]
      }
    }
    reply: MetricsHistory
  }
  /** Create an instance */
  'POST /v1/projects/{project}/instances': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly body: InstanceWrite
    }
    reply: InstanceAccepted
  }
  /** List instances */
  'GET /v1/projects/{project}/instances': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
        /** Only those in one of these phases. */
        readonly phase?: readonly ('pending' | 'provisioning' | 'starting' | 'running' | 'stopping' | 'stopped' | 'failed' | 'destroying' | 'destroyed')[]
        /** Only those in this region, by id or name. */
        readonly region?: string
        /** Only those in regions of this kind of provider. */
        readonly provider?: string
        /** Only those on this network, by id or name. */
        readonly network?: string
      }
    }
    reply: InstanceList
  }
  /** Make an instance of something that is in a region already, or give it to one that has lost what it ran on */
  'POST /v1/projects/{project}/instances/adopt': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly body: Adopt
    }
    reply: AdoptionPlan | InstanceAccepted
  }
  /** Say what would be launched for a new instance, with secrets masked */
  'POST /v1/projects/{project}/instances/preview': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly body: InstanceWrite
    }
    reply: Preview
  }
  /** Say what would be launched for an instance after a change, with secrets masked */
  'POST /v1/projects/{project}/instances/{instance}/preview': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
      readonly body?: MergePatch
    }
    reply: Preview
  }
  /** Read an instance */
  'GET /v1/projects/{project}/instances/{instance}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
    }
    reply: Instance
  }
  /** Change an instance */
  'PATCH /v1/projects/{project}/instances/{instance}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
      readonly query?: {
        /** What may be destroyed; without it only what destroys nothing is done. */
        readonly allow?: 'rebuild' | 'replace'
      }
      readonly body?: MergePatch
    }
    reply: InstanceAccepted
  }
  /** Delete an instance, with its disk */
  'DELETE /v1/projects/{project}/instances/{instance}': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
    }
    reply: InstanceAccepted
  }
  /** Read the user data of a machine, as it was given */
  'GET /v1/projects/{project}/instances/{instance}/user-data': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
    }
    reply: UserData
  }
  /** Read what happened to an instance */
  'GET /v1/projects/{project}/instances/{instance}/events': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Not older than this: `2026-11-15T12:00:00Z`. */
        readonly since?: string
        /** Older than this. */
        readonly until?: string
        /** Only those: `Unhealthy,Healthy`. */
        readonly reason?: readonly string[]
      }
    }
    reply: EventList
  }
  /** List the operations on a instance */
  'GET /v1/projects/{project}/instances/{instance}/operations': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Not older than this: `2026-11-15T12:00:00Z`. */
        readonly since?: string
        /** Older than this. */
        readonly until?: string
      }
    }
    reply: OperationList
  }
  /** Say what a change would do, and what would be lost by it */
  'POST /v1/projects/{project}/instances/{instance}/plan': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
      readonly body?: MergePatch
    }
    reply: Plan
  }
  /** Give an instance more or less: cpuMillis and memoryMiB for a service, a flavor for a machine */
  'POST /v1/projects/{project}/instances/{instance}/scale': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
      readonly query?: {
        /** What may be destroyed; without it only what destroys nothing is done. */
        readonly allow?: 'rebuild' | 'replace'
      }
      readonly body?: Scale
    }
    reply: InstanceAccepted
  }
  /** Start an instance; one that runs is left as it is */
  'POST /v1/projects/{project}/instances/{instance}/start': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
    }
    reply: InstanceAccepted
  }
  /** Stop an instance; its disk stays */
  'POST /v1/projects/{project}/instances/{instance}/stop': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
    }
    reply: InstanceAccepted
  }
  /** Restart an instance, or one of its services */
  'POST /v1/projects/{project}/instances/{instance}/restart': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
      readonly body?: Restart
    }
    reply: InstanceAccepted
  }
  /** Suspend an instance: it is off, and its owner cannot start it */
  'POST /v1/projects/{project}/instances/{instance}/suspend': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
      readonly body: Suspend
    }
    reply: InstanceAccepted
  }
  /** End a suspension: what its owner wanted before is wanted again */
  'POST /v1/projects/{project}/instances/{instance}/unsuspend': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
    }
    reply: InstanceAccepted
  }
  /** Have a public key signed for a machine */
  'POST /v1/projects/{project}/instances/{instance}/ssh-key': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
      readonly body: SshKey
    }
    reply: SignedSshKey
  }
  /** Take a snapshot: an image in the region, of what is on its disk now */
  'POST /v1/projects/{project}/instances/{instance}/snapshot': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
      readonly body: Snapshot
    }
    reply: SnapshotAccepted
  }
  /** List the snapshots of an instance */
  'GET /v1/projects/{project}/instances/{instance}/snapshots': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: ImageList
  }
  /** Wait until an instance is as wanted */
  'GET /v1/projects/{project}/instances/{instance}/wait': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
      readonly query?: {
        /** Until it is in one of these; `running` unless said. */
        readonly phase?: readonly ('pending' | 'provisioning' | 'starting' | 'running' | 'stopping' | 'stopped' | 'failed' | 'destroying' | 'destroyed')[]
        /** Until it is ready, too. */
        readonly ready?: boolean
        /** Until this one, or a newer, is what there is. */
        readonly generation?: number
        /** Only what is so at or after this revision counts: of a list, an answer (`Stead-Revision`) or an object. */
        readonly fromRevision?: number
        /** Until it has itself changed after this revision: how to follow it. */
        readonly changedAfter?: number
        /** `60s` unless said, `10m` at most. */
        readonly timeout?: string
      }
    }
    reply: Instance
  }
  /** List the instances of a region that are gone there, or other than they were made */
  'GET /v1/regions/{region}/differences': {
    input: {
      readonly path: {
        /** Id or name of the region. */
        readonly region: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Only those with these labels: `tier=web,env`. */
        readonly labels?: readonly string[]
        /** Only this name, or `prefix*`. */
        readonly name?: string
        /** What to sort by; `-` reverses. Ids are in order of creation. */
        readonly sort?: 'id' | '-id' | 'name' | '-name' | 'createdAt' | '-createdAt'
      }
    }
    reply: DifferingInstanceList
  }
  /** Read or follow what an instance prints */
  'GET /v1/projects/{project}/instances/{instance}/logs': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
      readonly query?: {
        /** Which service; the main one unless said, `*` for all of them. */
        readonly service?: string
        /** Goes on as lines are printed, until the instance is gone. */
        readonly follow?: boolean
        /** Only this many of the last lines, then what follows. */
        readonly tail?: number
        /** Not older than this: `2026-11-15T12:00:00Z`, or `10m` for a span. */
        readonly since?: string
        /** The cursor of the last line that was read: only what comes after it. Tail and since then do not count. */
        readonly after?: string
      }
    }
    reply: string
  }
  /** Ask for a WebSocket on which the log of an instance is read */
  'POST /v1/projects/{project}/instances/{instance}/logs': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
      readonly body?: LogRequest
    }
    reply: StreamTicket
  }
  /** Run a command inside of an instance */
  'POST /v1/projects/{project}/instances/{instance}/exec': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
      readonly body: Exec
    }
    reply: StreamTicket
  }
  /** Open the console of a machine */
  'POST /v1/projects/{project}/instances/{instance}/console': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
      readonly body?: Console
    }
    reply: StreamTicket
  }
  /** Read the last of what a console has shown */
  'GET /v1/projects/{project}/instances/{instance}/console/output': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
        /** Id or name of the instance. */
        readonly instance: string
      }
      readonly query?: {
        /** At most so much; 65536 unless said. */
        readonly bytes?: number
      }
    }
    reply: string
  }
  /** Open what a ticket is for */
  'GET /v1/streams/{ticket}': {
    input: {
      readonly path: {
        /** It opens once. */
        readonly ticket: string
      }
    }
    reply: undefined
  }
  /** Read what the control plane itself is doing */
  'GET /v1/system': {
    input: Record<never, never>
    reply: System
  }
  /** Read what happened to an organization */
  'GET /v1/organizations/{organization}/events': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Not older than this: `2026-11-15T12:00:00Z`. */
        readonly since?: string
        /** Older than this. */
        readonly until?: string
        /** Only those: `Unhealthy,Healthy`. */
        readonly reason?: readonly string[]
      }
    }
    reply: EventList
  }
  /** Read what happened to a project */
  'GET /v1/projects/{project}/events': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly query?: {
        readonly limit?: number
        /** The nextCursor of the page before. */
        readonly cursor?: string
        /** Not older than this: `2026-11-15T12:00:00Z`. */
        readonly since?: string
        /** Older than this. */
        readonly until?: string
        /** Only those: `Unhealthy,Healthy`. */
        readonly reason?: readonly string[]
      }
    }
    reply: EventList
  }
  /** Watch what happens, as server-sent events */
  'GET /v1/organizations/{organization}/watch': {
    input: {
      readonly path: {
        /** Id or name of the organization. */
        readonly organization: string
      }
      readonly query?: {
        /** Kinds to watch; all that the caller may read unless said. */
        readonly kinds?: readonly string[]
        /** The revision after which to begin, as a list answers it; now unless said. */
        readonly since?: number
      }
    }
    reply: string
  }
  /** Watch what happens, as server-sent events */
  'GET /v1/projects/{project}/watch': {
    input: {
      readonly path: {
        /** Id of the project, or `organization/name` with the slash percent-encoded. */
        readonly project: string
      }
      readonly query?: {
        /** Kinds to watch; all that the caller may read unless said. */
        readonly kinds?: readonly string[]
        /** The revision after which to begin, as a list answers it; now unless said. */
        readonly since?: number
      }
    }
    reply: string
  }
}
