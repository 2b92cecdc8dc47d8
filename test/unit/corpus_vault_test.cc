// The vault must lose nothing: not to a kill, not to a second writer, not to a full disk.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <thread>

#include "corpus/vault.h"

namespace hipvault::corpus {
namespace {

std::string fresh_path(const std::string& name) {
  std::string folder = ::testing::TempDir() + "/vault_" + name + "_" + std::to_string(::getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder + "/vault.db";
}

std::unique_ptr<Vault> open_or_die(const std::string& path, const DatabaseOptions& options = {}) {
  Result<std::unique_ptr<Vault>> vault = Vault::open(path, options);
  if (!vault) ADD_FAILURE() << render(vault.error());
  return vault ? std::move(*vault) : nullptr;
}

Attempt sample(const std::string& agent, double time_us) {
  Attempt a;
  a.agent = agent;
  a.op = "softmax";
  a.op_text = "op softmax(x: f32[B,N]) -> y: f32[B,N]\n  y = softmax(x, N)\n";
  a.op_file = "ops/softmax.hv";
  a.types = {{"T", "f32"}};
  a.sizes = {{"B", 4}, {"N", 1000}};
  a.case_name = "small";
  a.arch = "gfx942";
  a.gpu = "mi300x";
  a.device = "sim";
  a.cus = 304;
  a.toolchain = "clang 22";
  a.generator = "1+abc";
  a.schedule = "sketch row_reduce\nwaves 4\n";
  a.family = "row_reduce";
  a.steps = {{"sketch", "row_reduce", {{"row_reduce", true, ""}, {"contract", false, "no contraction"}}},
             {"waves", "4", {{"1", true, ""}, {"4", true, ""}}}};
  a.reached = Reached::timed;
  a.outcome = "pass";
  a.depth = "quick";
  a.seconds = {{"compile", 0.25}};
  a.seeds = {{"judge", 0xffffffffffffffffull}};
  a.verdict = Json{{"outcome", "pass"}};
  a.timing = Json{{"time_us", time_us}};
  a.time_us = time_us;
  a.source = "__global__ void k() {} // " + agent + "\n";
  a.code_object_hash = "00ff";
  return a;
}

TEST(CorpusVault, GivesBackWhatItWasGiven) {
  std::unique_ptr<Vault> vault = open_or_die(fresh_path("round"));
  Attempt a = sample("greedy", 12.5);
  Result<int64_t> id = vault->record(a);
  ASSERT_TRUE(id) << render(id.error());
  Result<Attempt> b = vault->attempt(*id);
  ASSERT_TRUE(b) << render(b.error());
  a.id = *id;
  a.source_hash = b->source_hash;
  a.created_us = b->created_us;
  EXPECT_EQ(to_json(a).dump(), to_json(*b).dump());
  EXPECT_EQ(b->source, a.source);
  EXPECT_EQ(b->seeds.at("judge"), 0xffffffffffffffffull);
  ASSERT_EQ(b->steps.size(), 2u);
  EXPECT_EQ(b->steps[0].alternatives[1].reason, "no contraction");
}

TEST(CorpusVault, AttemptThatWasNeverPrintedHasNoSourceAndNoTime) {
  std::unique_ptr<Vault> vault = open_or_die(fresh_path("bare"));
  Attempt a = sample("greedy", 1);
  a.source.clear();
  a.time_us.reset();
  a.timing = Json();
  a.reached = Reached::proposed;
  a.reason = "lds: 70000 bytes exceed 65536";
  Result<int64_t> id = vault->record(a);
  ASSERT_TRUE(id);
  Result<Attempt> b = vault->attempt(*id);
  ASSERT_TRUE(b);
  EXPECT_FALSE(b->time_us);
  EXPECT_TRUE(b->timing.is_null());
  EXPECT_EQ(b->source, "");
  EXPECT_EQ(b->reason, a.reason);
}

TEST(CorpusVault, FiltersOrdersAndFindsTheBest) {
  std::unique_ptr<Vault> vault = open_or_die(fresh_path("filters"));
  for (double time : {30.0, 10.0, 20.0}) ASSERT_TRUE(vault->record(sample(time == 10 ? "evolution" : "greedy", time)));
  Attempt wrong = sample("greedy", 1);
  wrong.outcome = "wrong_value";
  wrong.reached = Reached::compiled;
  ASSERT_TRUE(vault->record(wrong));
  Attempt other_gpu = sample("greedy", 2);
  other_gpu.gpu = "mi250x";
  ASSERT_TRUE(vault->record(other_gpu));

  Result<std::vector<Attempt>> greedy = vault->list({.gpu = "mi300x", .agent = "greedy"});
  ASSERT_TRUE(greedy);
  EXPECT_EQ(greedy->size(), 3u);
  Result<std::vector<Attempt>> sized = vault->list({.sizes = {{"B", 4}, {"N", 1001}}});
  ASSERT_TRUE(sized);
  EXPECT_TRUE(sized->empty());
  Result<std::optional<Attempt>> best = vault->best({.op = "softmax", .gpu = "mi300x"});
  ASSERT_TRUE(best && *best);
  EXPECT_EQ((*best)->time_us, 10.0);  // not the wrong one with time 1
  Result<std::optional<Attempt>> none = vault->best({.op = "gelu"});
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
}

TEST(CorpusVault, LineageRunsToTheFirst) {
  std::unique_ptr<Vault> vault = open_or_die(fresh_path("lineage"));
  int64_t parent = 0;
  for (int i = 0; i < 4; ++i) {
    Attempt a = sample("evolution", 10 - i);
    a.parent = parent;
    Result<int64_t> id = vault->record(a);
    ASSERT_TRUE(id);
    parent = *id;
  }
  Result<std::vector<Attempt>> line = vault->lineage(parent);
  ASSERT_TRUE(line);
  ASSERT_EQ(line->size(), 4u);
  EXPECT_EQ(line->front().time_us, 7.0);
  EXPECT_EQ(line->back().parent, 0);
}

TEST(CorpusVault, ExportsOneLineAnAttempt) {
  std::unique_ptr<Vault> vault = open_or_die(fresh_path("export"));
  ASSERT_TRUE(vault->record(sample("greedy", 3)));
  ASSERT_TRUE(vault->record(sample("evolution", 4)));
  std::vector<std::string> lines;
  Result<int64_t> count = vault->export_jsonl({}, [&](const std::string& line) {
    lines.push_back(line);
    return Status();
  });
  ASSERT_TRUE(count);
  ASSERT_EQ(lines.size(), 2u);
  Json first = Json::parse(lines[0]);
  EXPECT_EQ(first["agent"], "greedy");
  EXPECT_EQ(first["decisions"][0]["alternatives"].size(), 2u);
  EXPECT_NE(first["source"].get<std::string>().find("__global__"), std::string::npos);
  EXPECT_NE(first["op_text"].get<std::string>().find("softmax(x, N)"), std::string::npos);
  EXPECT_EQ(lines[0].find('\n'), lines[0].size() - 1);
}

TEST(CorpusVault, EqualSourcesAreStoredOnce) {
  std::unique_ptr<Vault> vault = open_or_die(fresh_path("dedup"));
  Result<int64_t> one = vault->record(sample("greedy", 3)), two = vault->record(sample("greedy", 4));
  ASSERT_TRUE(one && two);
  EXPECT_EQ(vault->attempt(*one)->source_hash, vault->attempt(*two)->source_hash);
  EXPECT_FALSE(vault->blob("0123456789abcdef0123456789abcdef"));
}

TEST(CorpusVault, TwoWritersLoseNothing) {
  std::string path = fresh_path("writers");
  constexpr int kEach = 60;
  open_or_die(path);  // the tables
  std::vector<pid_t> children;
  for (int writer = 0; writer < 2; ++writer) {
    pid_t child = ::fork();
    if (child == 0) {
      Result<std::unique_ptr<Vault>> vault = Vault::open(path);
      if (!vault) _exit(1);
      for (int i = 0; i < kEach; ++i)
        if (!(*vault)->record(sample("writer" + std::to_string(writer), i))) _exit(2);
      _exit(0);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::unique_ptr<Vault> vault = open_or_die(path);
  EXPECT_EQ(vault->list({.agent = "writer0"})->size(), static_cast<size_t>(kEach));
  EXPECT_EQ(vault->list({.agent = "writer1"})->size(), static_cast<size_t>(kEach));
}

TEST(CorpusVault, KillLosesAtMostTheAttemptBeingWritten) {
  std::string path = fresh_path("kill");
  int report[2];
  ASSERT_EQ(::pipe(report), 0);
  pid_t child = ::fork();
  if (child == 0) {
    Result<std::unique_ptr<Vault>> vault = Vault::open(path);
    for (int i = 0; vault; ++i) {
      Result<int64_t> id = (*vault)->record(sample("victim", i));
      if (!id || ::write(report[1], "x", 1) != 1) _exit(1);
    }
    _exit(1);
  }
  char byte;
  int acknowledged = 0;
  while (acknowledged < 25 && ::read(report[0], &byte, 1) == 1) ++acknowledged;
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(report[1]);
  while (::read(report[0], &byte, 1) == 1) ++acknowledged;
  ::close(report[0]);
  ASSERT_GE(acknowledged, 25);
  std::unique_ptr<Vault> vault = open_or_die(path);
  Result<std::vector<Attempt>> kept = vault->list({}, true);
  ASSERT_TRUE(kept) << render(kept.error());
  EXPECT_GE(kept->size(), static_cast<size_t>(acknowledged));
  EXPECT_LE(kept->size(), static_cast<size_t>(acknowledged) + 1);
}

TEST(CorpusVault, FullDiskIsAClearErrorAndKeepsTheOld) {
  std::string path = fresh_path("full");
  std::unique_ptr<Vault> vault = open_or_die(path, {.max_bytes = 160 << 10});
  ASSERT_NE(vault, nullptr);
  size_t written = 0;
  Diagnostic error;
  for (int i = 0; i < 2000; ++i) {
    Attempt a = sample("filler", i);
    for (int j = 0; j < 200; ++j) a.source += std::to_string(i * 7919 + j * 104729) + " ";
    Result<int64_t> id = vault->record(a);
    if (!id) {
      error = id.error();
      break;
    }
    ++written;
  }
  EXPECT_EQ(error.code, "vault.full") << error.message;
  EXPECT_NE(error.hint.find("--vault"), std::string::npos);
  EXPECT_GT(written, 0u);
  vault.reset();
  std::unique_ptr<Vault> again = open_or_die(path);
  EXPECT_EQ(again->list({}, true)->size(), written);
  EXPECT_TRUE(again->record(sample("after", 1)));  // with room again, writing goes on
}

TEST(CorpusVault, NewerSchemaAndForeignFilesAreRefused) {
  std::string path = fresh_path("schema");
  open_or_die(path);
  {
    Result<std::unique_ptr<Database>> database = Database::open(path, {});
    ASSERT_TRUE(database);
    ASSERT_TRUE((*database)->run("UPDATE meta SET value = '99' WHERE key = 'schema'"));
  }
  Result<std::unique_ptr<Vault>> newer = Vault::open(path);
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, "vault.schema");
  std::string other = fresh_path("foreign");
  FILE* file = std::fopen(other.c_str(), "w");
  for (int i = 0; i < 400; ++i) std::fputs("this is no database\n", file);
  std::fclose(file);
  Result<std::unique_ptr<Vault>> foreign = Vault::open(other);
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, "vault.corrupt");
  Result<std::unique_ptr<Vault>> nowhere = Vault::open("/nonexistent/folder/vault.db");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, "vault.open");
}

TEST(CorpusVault, CampaignIsTakenUpByOneOnly) {
  std::unique_ptr<Vault> vault = open_or_die(fresh_path("campaign"));
  Campaign campaign{.key = "k", .owner = "dead", .seed = 0xfedcba9876543210ull, .settings = Json{{"op", "softmax"}}};
  Result<int64_t> id = vault->start_campaign(campaign);
  ASSERT_TRUE(id);
  Result<std::optional<Campaign>> found = vault->unfinished_campaign("k");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->seed, campaign.seed);
  EXPECT_EQ((*found)->settings["op"], "softmax");
  EXPECT_TRUE(*vault->adopt_campaign(*id, "dead", "me"));
  EXPECT_FALSE(*vault->adopt_campaign(*id, "dead", "you"));
  Campaign done = **found;
  done.state = "done";
  done.seconds = 3.5;
  ASSERT_TRUE(vault->save_campaign(done));
  Result<std::optional<Campaign>> none = vault->unfinished_campaign("k");
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
}

}  // namespace
}  // namespace hipvault::corpus
