// Campaigns on a landscape with a planted optimum: that the agents find it, that nothing is tried twice, that a kill
// loses nothing, and that a winner must survive the full judgement.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "search/campaign.h"
#include "support/landscape.h"

namespace hipvault::search {
namespace {

std::unique_ptr<corpus::Vault> fresh_vault(const std::string& name) {
  std::string path = ::testing::TempDir() + "/campaign_" + name + "_" + std::to_string(::getpid()) + ".db";
  for (const char* tail : {"", "-wal", "-shm"}) std::filesystem::remove(path + tail);
  Result<std::unique_ptr<corpus::Vault>> vault = corpus::Vault::open(path);
  if (!vault) ADD_FAILURE() << render(vault.error());
  return std::move(*vault);
}

CampaignOptions trials(int64_t count, uint64_t seed, int workers = 1) {
  CampaignOptions options;
  options.budget.trials = count;
  options.seed = seed;
  options.workers = workers;
  return options;
}

double best_of_random(int64_t count, uint64_t seed) {
  test::Landscape landscape;
  Laboratory lab = landscape.laboratory();
  Space space(lab, {});
  Random random(seed);
  double best = 1e9;
  for (int64_t i = 0; i < count; ++i) {
    Result<Schedule> schedule = space.random(random, random.below(2) == 0 ? "slow" : "fast");
    if (as_map(*schedule)["split"] != "8") best = std::min(best, test::Landscape::time_of(*schedule));
  }
  return best;
}

TEST(SearchCampaign, FindsThePlantedOptimumAndBeatsRandomSearch) {
  constexpr int64_t kTrials = 70;  // of 2 * 27 * 5 * 3 * 4 = 3,240 schedules
  double searched = 0, random = 0;
  int found = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    test::Landscape landscape;
    Laboratory lab = landscape.laboratory();
    std::unique_ptr<corpus::Vault> vault = fresh_vault("optimum");
    Result<CampaignResult> result = run_campaign(lab, *vault, trials(kTrials, seed));
    ASSERT_TRUE(result) << render(result.error());
    ASSERT_TRUE(result->winner);
    searched += result->winner->timing->time_us / 8;
    random += best_of_random(kTrials, seed) / 8;
    if (result->winner->timing->time_us == 10) ++found;
  }
  EXPECT_GE(found, 6);
  EXPECT_LT(searched, 0.9 * random) << "random search reached " << random;
}

TEST(SearchCampaign, NothingIsTriedTwiceAndEveryTrialIsInTheVault) {
  test::Landscape landscape;
  Laboratory lab = landscape.laboratory();
  std::unique_ptr<corpus::Vault> vault = fresh_vault("once");
  Result<CampaignResult> result = run_campaign(lab, *vault, trials(150, 3, 2));
  ASSERT_TRUE(result) << render(result.error());
  for (const auto& [text, times] : landscape.tried) EXPECT_EQ(times, 1) << text;
  // 150 proposals and the baseline, which with two threads may be one of them or not.
  EXPECT_GE(landscape.tries, 150);
  EXPECT_LE(landscape.tries, 151);
  EXPECT_EQ(result->board.total().proposed, 150);
  Result<std::vector<corpus::Attempt>> attempts = vault->list({.campaign = result->campaign});
  ASSERT_TRUE(attempts);
  EXPECT_EQ(attempts->size(), 151u);  // and the baseline
  int greedy = 0, evolution = 0, with_parent = 0;
  for (const corpus::Attempt& attempt : *attempts) {
    greedy += attempt.agent == "greedy";
    evolution += attempt.agent == "evolution";
    with_parent += attempt.parent != 0;
    if (attempt.parent != 0) EXPECT_LT(attempt.parent, attempt.id);
  }
  EXPECT_GT(greedy, 15);
  EXPECT_GT(evolution, 15);
  EXPECT_GT(with_parent, 50);
}

TEST(SearchCampaign, KilledCampaignIsTakenUpWithoutRepeating) {
  test::Landscape landscape;
  Laboratory lab = landscape.laboratory();
  std::unique_ptr<corpus::Vault> vault = fresh_vault("resume");
  std::atomic<bool> killed{false};
  landscape.after_try = [&](int tries) { killed = tries >= 40; };
  CampaignOptions options = trials(120, 5);
  options.key = "same";
  options.abandon = &killed;
  Result<CampaignResult> first = run_campaign(lab, *vault, options);
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->abandoned);
  EXPECT_FALSE(first->winner);

  landscape.after_try = nullptr;
  killed = false;
  std::map<std::string, int> before = landscape.tried;
  Result<CampaignResult> second = run_campaign(lab, *vault, options);
  ASSERT_TRUE(second) << render(second.error());
  EXPECT_EQ(second->campaign, first->campaign);
  EXPECT_EQ(second->resumed_trials, 39);  // the one that was running is lost
  EXPECT_EQ(second->board.total().proposed, 120);
  EXPECT_TRUE(second->winner);
  int repeated = 0;
  for (const auto& [text, times] : landscape.tried) repeated += times > 1;
  EXPECT_LE(repeated, 1);  // only the lost one may come again

  Result<CampaignResult> third = run_campaign(lab, *vault, options);  // a finished campaign is not taken up
  ASSERT_TRUE(third);
  EXPECT_NE(third->campaign, first->campaign);
  EXPECT_EQ(third->resumed_trials, 0);
}

TEST(SearchCampaign, CampaignOfALivingProcessIsLeftAlone) {
  test::Landscape landscape;
  Laboratory lab = landscape.laboratory();
  std::unique_ptr<corpus::Vault> vault = fresh_vault("alive");
  corpus::Campaign other;
  other.key = "k";
  other.owner = "1:" + std::string("0") + "@elsewhere";
  Result<int64_t> theirs = vault->start_campaign(other);
  ASSERT_TRUE(theirs);
  CampaignOptions options = trials(10, 1);
  options.key = "k";
  Result<CampaignResult> mine = run_campaign(lab, *vault, options);
  ASSERT_TRUE(mine);
  EXPECT_NE(mine->campaign, *theirs);
  EXPECT_TRUE(owner_lives(this_process()));
  EXPECT_FALSE(owner_lives("999999999:1" + this_process().substr(this_process().find('@'))));
}

TEST(SearchCampaign, DeadProcessThatNobodyReapedIsNoOwner) {
  int report[2];
  ASSERT_EQ(::pipe(report), 0);
  pid_t child = ::fork();
  if (child == 0) {
    std::string me = this_process();
    bool told = ::write(report[1], me.data(), me.size()) == static_cast<ssize_t>(me.size());
    ::pause();
    ::_exit(told ? 0 : 1);
  }
  char text[256] = {};
  ASSERT_GT(::read(report[0], text, sizeof text - 1), 0);
  EXPECT_TRUE(owner_lives(text));
  ::kill(child, SIGKILL);
  siginfo_t end{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT), 0);  // dead, and still a zombie
  EXPECT_FALSE(owner_lives(text));
  ::waitpid(child, nullptr, 0);
}

TEST(SearchCampaign, WinnerThatFailsTheFullJudgementIsPassedOver) {
  test::Landscape landscape;
  schedule::Schedule optimum = {{"sketch", "fast"}, {"rows", "8"},        {"vector", "4"},
                                {"waves", "4"},     {"residency", "lds"}, {"split", "2"}};
  landscape.broken.insert(schedule::text(optimum));
  Laboratory lab = landscape.laboratory();
  std::unique_ptr<corpus::Vault> vault = fresh_vault("fallen");
  Result<CampaignResult> result = run_campaign(lab, *vault, trials(400, 2));
  ASSERT_TRUE(result);
  ASSERT_EQ(result->fallen.size(), 1u);
  EXPECT_EQ(schedule::text(result->fallen[0].schedule), schedule::text(optimum));
  ASSERT_TRUE(result->winner);
  EXPECT_GT(result->winner->timing->time_us, 10);
  EXPECT_EQ(result->winner->depth, "full");
  Result<std::vector<corpus::Attempt>> wrong = vault->list({.outcome = "wrong_value"}, false);
  ASSERT_TRUE(wrong);
  bool stored = false;
  for (const corpus::Attempt& attempt : *wrong)
    stored = stored || (attempt.depth == "full" && attempt.schedule == schedule::text(optimum));
  EXPECT_TRUE(stored) << "the vault must not keep `pass` for a kernel that fell";
}

TEST(SearchCampaign, BaselineIsTheDefaultScheduleOfTheWinnersSketchJudgedInFull) {
  test::Landscape landscape;
  Laboratory lab = landscape.laboratory();
  std::unique_ptr<corpus::Vault> vault = fresh_vault("baseline");
  Result<CampaignResult> result = run_campaign(lab, *vault, trials(100, 4));
  ASSERT_TRUE(result && result->winner && result->baseline);
  EXPECT_EQ(result->baseline->schedule.front().value, result->winner->schedule.front().value);
  EXPECT_EQ(result->baseline->depth, "full");
  // rows 1, vector 1, waves 1, registers, split 1 against the optimum, by hand:
  // 10 * (1 + 0.3*3 + 0.3*2 + 0.4*3*2 + 0.2*2 + 0.25*1 + 0.5) = 60.5
  EXPECT_DOUBLE_EQ(result->baseline->timing->time_us, 60.5);
}

TEST(SearchCampaign, NothingTimedIsAResultWithItsReason) {
  test::Landscape landscape;
  landscape.refuse_all = true;
  Laboratory lab = landscape.laboratory();
  std::unique_ptr<corpus::Vault> vault = fresh_vault("nothing");
  Result<CampaignResult> result = run_campaign(lab, *vault, trials(20, 1));
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->winner);
  EXPECT_EQ(result->board.total(), (Funnel{20, 20, 0, 0, 0}));
  ASSERT_FALSE(result->board.reasons(3).empty());
  EXPECT_EQ(result->board.reasons(3)[0].first, "does not compile: the compiler is on strike");
}

TEST(SearchCampaign, SmallSpaceEndsWhenItIsExhausted) {
  test::Landscape landscape;
  Laboratory lab = landscape.laboratory();
  std::unique_ptr<corpus::Vault> vault = fresh_vault("exhausted");
  CampaignOptions options = trials(1000000, 1, 2);
  options.pins = {{"sketch", "fast"}, {"rows", "8"}, {"vector", "4"}, {"residency", "lds"}};
  Result<CampaignResult> result = run_campaign(lab, *vault, options);
  ASSERT_TRUE(result) << render(result.error());
  EXPECT_TRUE(result->exhausted);
  EXPECT_LE(landscape.tries, 20);  // 5 waves (two of them twins) * 4 splits
  ASSERT_TRUE(result->winner);
  EXPECT_EQ(result->winner->timing->time_us, 10);
}

TEST(SearchCampaign, TimeBudgetIsCountedOnTheClock) {
  class TickingClock : public Clock {
   public:
    double seconds() override { return now += 0.01; }
    int64_t unix_microseconds() override { return 0; }
    double now = 0;
  };
  test::Landscape landscape;
  Laboratory lab = landscape.laboratory();
  std::unique_ptr<corpus::Vault> vault = fresh_vault("clock");
  TickingClock clock;
  CampaignOptions options;
  options.budget.seconds = 2;
  options.workers = 1;
  options.seed = 1;
  options.clock = &clock;
  Result<CampaignResult> result = run_campaign(lab, *vault, options);
  ASSERT_TRUE(result);
  EXPECT_GE(result->search_seconds, 2);
  EXPECT_LT(result->search_seconds, 2.1);
  EXPECT_GT(landscape.tries, 10);
}

TEST(SearchCampaign, VaultThatCannotBeWrittenEndsTheSearchWithTheReason) {
  test::Landscape landscape;
  Laboratory lab = landscape.laboratory();
  std::string path = ::testing::TempDir() + "/campaign_full_" + std::to_string(::getpid()) + ".db";
  std::filesystem::remove(path);
  Result<std::unique_ptr<corpus::Vault>> vault = corpus::Vault::open(path, {.max_bytes = 100 << 10});
  ASSERT_TRUE(vault);
  Result<CampaignResult> result = run_campaign(lab, **vault, trials(3000, 1));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "vault.full");
}

}  // namespace
}  // namespace hipvault::search
