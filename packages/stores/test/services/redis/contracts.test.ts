import { sessionStoreContract, sharedSessionStoreContract } from 'claudewire/testing';
import {
  approvalStoreContract,
  conversationStoreContract,
  eventLogContract,
  wakeUpStoreContract,
} from 'claudewire-server/testing';
import { describe, test } from 'vitest';
import {
  RedisApprovalStore,
  RedisConversationStore,
  RedisEventLog,
  RedisSessionStore,
  RedisWakeUpStore,
} from '../../../src/redis/index.js';
import { newPrefix, redisClient, useRedis } from '../../helpers/redis-server.js';

const redis = useRedis();

function options() {
  return { client: redisClient(redis.server.port), prefix: newPrefix() };
}

describe('RedisSessionStore', () => {
  for (const { name, run } of sessionStoreContract(() => new RedisSessionStore({ ...options(), tenant: 'ada' }))) {
    test(name, run);
  }
});

describe('RedisSessionStore, with several writers', () => {
  const make = () => {
    const shared = { ...options(), tenant: 'ada' };
    const again = () => new RedisSessionStore({ ...shared, client: redisClient(redis.server.port) });
    return { store: new RedisSessionStore(shared), again };
  };
  for (const { name, run } of sharedSessionStoreContract(make)) test(name, run);
});

describe('RedisConversationStore', () => {
  const make = () => {
    const shared = options();
    const again = () => new RedisConversationStore({ ...shared, client: redisClient(redis.server.port) });
    return { store: new RedisConversationStore(shared), again };
  };
  for (const { name, run } of conversationStoreContract(make)) test(name, run);
});

describe('RedisApprovalStore', () => {
  const make = () => {
    const shared = options();
    const again = () => new RedisApprovalStore({ ...shared, client: redisClient(redis.server.port) });
    return { store: new RedisApprovalStore(shared), again };
  };
  for (const { name, run } of approvalStoreContract(make)) test(name, run);
});

describe('RedisEventLog', () => {
  const make = () => {
    const shared = options();
    const again = () => new RedisEventLog({ ...shared, client: redisClient(redis.server.port) });
    return { log: new RedisEventLog(shared), again };
  };
  for (const { name, run } of eventLogContract(make)) test(name, run);
});

describe('RedisWakeUpStore', () => {
  const make = () => {
    const shared = options();
    const again = () => new RedisWakeUpStore({ ...shared, client: redisClient(redis.server.port) });
    return { store: new RedisWakeUpStore(shared), again };
  };
  for (const { name, run } of wakeUpStoreContract(make)) test(name, run);
});
