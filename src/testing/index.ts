/** The door `claudewire/testing`: what users test their own programs with. */

export {
  type MakeSessionStore,
  type OptionalStoreMethod,
  runSessionStoreContract,
  type SessionStoreContractCase,
  SessionStoreContractError,
  type SessionStoreContractOptions,
  type SessionStoreContractReport,
  sessionStoreContract,
} from './session-store-contract.js';
